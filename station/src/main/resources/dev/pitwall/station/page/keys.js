// @ts-check
// Every gesture has a key. Keys typed into a field stay there.
import { clearSelection, nextHit, selectRow, timeline, toggleCriticalPath } from './actions.js';
import { set, state } from './state.js';

export const KEYS = [
  ['W S', 'zoom in and out'],
  ['A D, ← →', 'move left and right'],
  ['↑ ↓', 'move up and down'],
  ['/', 'search; Enter and Shift+Enter go to the next and previous hit'],
  ['[ ]', 'previous and next slice of the track'],
  ['F', 'fit the selected slice or range'],
  ['0', 'fit the whole run'],
  ['C', 'critical path'],
  ['Shift + drag', 'select a range for statistics'],
  ['Esc', 'clear the selection'],
  ['?', 'this list'],
];

/** @param {KeyboardEvent} event */
export function onKey(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches('input:not([type=checkbox]), textarea, select');
  const shown = timeline();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !shown) return;
  const onTimeline = target === document.body || shown.elements.host.contains(target);
  const arrow = event.key.startsWith('Arrow');
  if (arrow && !onTimeline) return;
  const { scroller } = shown.elements;
  switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
    case 'w': shown.zoom(1 / 1.35, cursorShare()); break;
    case 's': shown.zoom(1.35, cursorShare()); break;
    case 'a': case 'ArrowLeft': shown.pan(-0.15); break;
    case 'd': case 'ArrowRight': shown.pan(0.15); break;
    case 'ArrowUp': scroller.scrollTop -= 54; break;
    case 'ArrowDown': scroller.scrollTop += 54; break;
    case '/': /** @type {HTMLElement | null} */ (document.querySelector('#search'))?.focus(); break;
    case 'n': nextHit(event.shiftKey ? -1 : 1); break;
    case '[': neighbour(-1); break;
    case ']': neighbour(1); break;
    case 'f': fit(); break;
    case '0': shown.glide(shown.whole()); break;
    case 'c': toggleCriticalPath(); break;
    case '?': set({ help: !state.help }); break;
    case 'Escape':
      if (state.help) set({ help: false });
      else clearSelection();
      break;
    default: return;
  }
  event.preventDefault();
}

function cursorShare() {
  const shown = timeline();
  if (!shown || shown.cursor === null) return 0.5;
  const share = (shown.cursor - shown.view.start) / (shown.view.end - shown.view.start);
  return share >= 0 && share <= 1 ? share : 0.5;
}

/** @param {1 | -1} by */
function neighbour(by) {
  if (state.slice) selectRow(state.slice.rank, state.slice.row + by, state.sliceSection, true);
}

function fit() {
  const shown = timeline();
  if (!shown) return;
  if (state.slice) {
    const offset = shown.sections[state.sliceSection]?.offset ?? 0;
    const margin = state.slice.dur_ns * 0.1 + 50;
    const start = state.slice.start_ns + offset;
    shown.glide({ start: start - margin, end: start + state.slice.dur_ns + margin });
  } else if (shown.range) {
    shown.glide({ ...shown.range });
  }
}

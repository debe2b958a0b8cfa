// @ts-check
import { Component, createRef, h } from './vendor/preact.js';
import { attach, clearSelection, selectRow, showFinding, summarize, timeline } from './actions.js';
import { duration, percent, shortName } from './format.js';
import { rememberView } from './links.js';
import { LEGEND } from './overlay.js';
import { Timeline } from './timeline.js';
import { amount, tipAt } from './tip.js';
import { set, state } from './state.js';

/** @typedef {import('./layout.js').Row} Row */

/** @param {'pinned' | 'hidden' | 'toggled' | 'folded'} choice @param {string} key */
function flip(choice, key) {
  const shown = timeline();
  if (!shown) return;
  if (!shown.choice[choice].delete(key)) shown.choice[choice].add(key);
  shown.relayout();
  rememberView();
}

/** @param {Row} row of a counter */
function largest(row) {
  const counter = timeline()?.sections[row.section]?.counters[row.counter];
  return counter ? amount(counter.largest, counter.unit) : '';
}

/** @param {{ row: Row }} props */
function Label({ row }) {
  const style = { top: `${row.y}px`, height: `${row.height}px` };
  if (row.type === 'rank') {
    const shut = timeline()?.choice.folded.has(row.key) ?? false;
    return h('div', { class: 'label rank', style, title: timeline()?.sections[row.section]?.run.aligned_by },
      h('button', { class: 'name', 'aria-expanded': !shut, onClick: () => flip('folded', row.key) }, `${shut ? '▸' : '▾'} ${row.label}`));
  }
  if (row.type !== 'track' && row.type !== 'counter') {
    return h('div', { class: `label ${row.type}`, style }, h('span', { class: 'name', title: row.label }, row.label));
  }
  return h(
    'div', { class: `label ${row.type} ${row.pinned ? 'pinned' : ''}`, style },
    row.type === 'track' && (row.track?.lanes ?? 0) > 3
      ? h('button', { class: 'name', title: `${row.label}: change the height of its ${row.track?.lanes} lanes`, onClick: () => flip('toggled', row.key) }, row.label)
      : h('span', { class: 'name', title: row.label }, row.label),
    row.type === 'counter' ? h('span', { class: 'largest', title: `at most ${largest(row)}` }, largest(row)) : null,
    h('span', { class: 'tools' },
      row.type === 'track'
        ? h('button', { class: 'icon', 'aria-pressed': row.pinned, 'aria-label': `Pin ${row.label}`, title: 'Pin to the top', onClick: () => flip('pinned', row.key) }, '⊤')
        : null,
      h('button', { class: 'icon', 'aria-label': `Hide ${row.label}`, title: 'Hide', onClick: () => flip('hidden', row.key) }, '×')),
  );
}

function Legend() {
  const palette = timeline()?.palette;
  return h('ul', { class: 'legend', 'aria-label': 'Colours' },
    LEGEND.map(({ kind, name }) =>
      h('li', null, h('i', { class: name === 'waiting' ? 'hatched' : '', style: { backgroundColor: palette?.colour(kind) ?? '' } }), name)));
}

function Reading() {
  if (!state.reading) return null;
  const { title, fraction } = state.reading;
  return h('div', { class: 'reading', role: 'status' },
    h('p', null, `Reading ${title}`),
    h('progress', { max: 1, value: fraction, 'aria-label': 'How much is read' }),
    h('p', { class: 'faint' }, fraction < 1 ? `${percent(fraction)} read` : 'laying out its slices'));
}

/** The timeline with its track labels, tooltip and legend. */
export class TimelinePane extends Component {
  constructor() {
    super();
    this.host = createRef();
    this.scroller = createRef();
    this.content = createRef();
    this.canvas = createRef();
    this.top = createRef();
    this.tip = createRef();
    this.status = createRef();
    this.statusTimer = 0;
  }

  componentDidMount() {
    const shown = new Timeline(
      {
        host: this.host.current, scroller: this.scroller.current, content: this.content.current,
        canvas: this.canvas.current, top: this.top.current,
      },
      {
        onSelect: (hit) => selectRow(hit.rank, hit.row, hit.section, false),
        onClear: clearSelection,
        onRange: summarize,
        onView: () => {
          rememberView();
          this.speak();
        },
        onHover: (inside, x, y) => this.hover(inside, x, y),
        onFlag: (section, finding) => {
          if (section === 0) showFinding(finding);
        },
        onLayout: (rows) => set({ rows }),
      },
    );
    attach(shown);
    // A handle for tests and benchmarks: frame times are read from it.
    Object.assign(this.host.current, { timeline: shown });
  }

  speak() {
    clearTimeout(this.statusTimer);
    this.statusTimer = window.setTimeout(() => {
      const shown = timeline();
      if (shown && this.status.current) this.status.current.textContent = shown.describe();
    }, 600);
  }

  /** @param {boolean} inside @param {number} x @param {number} y CSS pixels in the canvas */
  hover(inside, x, y) {
    const tip = /** @type {HTMLElement} */ (this.tip.current);
    const shown = timeline();
    const words = inside && shown ? tipAt(shown, x, y) : null;
    tip.hidden = words === null;
    if (!words) return;
    tip.querySelectorAll('span').forEach((/** @type {HTMLElement} */ line, /** @type {number} */ i) => (line.textContent = words[i]));
    const host = this.host.current;
    const top = this.top.current.clientHeight;
    const left = Math.min(this.canvas.current.offsetLeft + x + 14, host.clientWidth - tip.offsetWidth - 6);
    const below = top + y + 18;
    const fits = below + tip.offsetHeight < host.clientHeight;
    tip.style.transform = `translate(${Math.max(4, left)}px, ${fits ? below : top + y - tip.offsetHeight - 10}px)`;
  }

  shouldComponentUpdate() {
    return true;
  }

  render() {
    const hidden = timeline()?.choice.hidden.size ?? 0;
    return h(
      'section', { class: 'timeline', ref: this.host, tabIndex: 0, 'aria-label': 'Timeline. Keys: W and S zoom, A and D move; the table in the drawer lists what is shown.' },
      h('div', { class: 'tl-head' },
        h('div', { class: 'tl-corner' },
          hidden > 0
            ? h('button', { class: 'tool small', onClick: () => { timeline()?.choice.hidden.clear(); timeline()?.relayout(); } }, `show ${hidden} hidden`)
            : h('span', { class: 'faint' }, state.run ? `${shortName(duration(state.run.duration_ns))} in all` : '')),
        h('canvas', { class: 'tl-top', ref: this.top, 'aria-hidden': true })),
      h('div', { class: 'tl-scroll', ref: this.scroller },
        h('div', { class: 'tl-content', ref: this.content },
          h('div', { class: 'tl-gutter' }, state.rows.map((row) => h(Label, { key: row.key + (row.pinned ? 'p' : ''), row }))),
          h('canvas', { class: 'tl-canvas', ref: this.canvas, 'aria-hidden': true }))),
      h(Reading, null),
      h(Legend, null),
      h('div', { class: 'tip', ref: this.tip, hidden: true }, h('span', null), h('span', { class: 'faint' })),
      h('p', { class: 'sr-only', ref: this.status, 'aria-live': 'polite' }),
    );
  }
}

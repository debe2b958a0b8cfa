// @ts-check
import { Component, h, render } from './vendor/preact.js';
import {
  align, compare, fail, nextHit, openFiles, refreshRuns, search, setTheme, showRun, timeline,
  toggleCriticalPath,
} from './actions.js';
import { count } from './format.js';
import { KEYS, onKey } from './keys.js';
import { followLink } from './links.js';
import { Drawer } from './drawer.js';
import { OpenScreen } from './open.js';
import { Side } from './side.js';
import { TimelinePane } from './pane.js';
import { set, state, watch } from './state.js';

function Search() {
  const { text, total, at, hits } = state.search;
  const found = text.trim() === '' ? '' : total === 0 ? 'none' : `${at < 0 ? '–' : at + 1} / ${count(total)}`;
  return h(
    'div', { class: 'search', role: 'search' },
    h('input', {
      id: 'search', type: 'search', placeholder: 'Search slices  /', value: text,
      'aria-label': 'Search slices by name', spellcheck: false, autocomplete: 'off',
      onInput: (/** @type {any} */ event) => search(event.target.value),
      onKeyDown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Enter') nextHit(event.shiftKey ? -1 : 1);
        if (event.key === 'Escape') /** @type {HTMLElement} */ (event.target).blur();
      },
    }),
    h('span', { class: 'search-count', 'aria-live': 'polite' }, found),
    h('button', { class: 'icon', title: 'Previous hit (Shift+Enter)', 'aria-label': 'Previous hit', disabled: hits.length === 0, onClick: () => nextHit(-1) }, '‹'),
    h('button', { class: 'icon', title: 'Next hit (Enter)', 'aria-label': 'Next hit', disabled: hits.length === 0, onClick: () => nextHit(1) }, '›'),
  );
}

function Compare() {
  const others = state.runs.filter((open) => open.id !== state.run?.id && open.state === 'ready');
  if (!state.run || others.length === 0) return null;
  const steps = (/** @type {import('./layout.js').Run | null} */ run) => run?.ranks[0]?.steps ?? [];
  /** @param {0 | 1} which @param {import('./layout.js').Run | null} run */
  const stepChoice = (which, run) =>
    h(
      'select', {
        'aria-label': which === 0 ? 'Step of the first run' : 'Step of the second run',
        value: `${state.comparedStep[which]}`,
        onChange: (/** @type {any} */ event) => {
          const chosen = [...state.comparedStep];
          chosen[which] = Number(event.target.value);
          align(chosen[0], chosen[1]);
        },
      },
      steps(run).map((_, step) => h('option', { value: `${step}` }, `step ${step}`)),
    );
  return h(
    'div', { class: 'compare' },
    h('select', {
      id: 'compare', 'aria-label': 'Compare with', value: state.compared?.id ?? '',
      onChange: (/** @type {any} */ event) => compare(event.target.value),
    },
    h('option', { value: '' }, 'compare with …'),
    others.map((open) => h('option', { value: open.id }, open.title))),
    state.compared && steps(state.run).length > 1 ? stepChoice(0, state.run) : null,
    state.compared && steps(state.compared).length > 1 ? stepChoice(1, state.compared) : null,
  );
}

function Bar() {
  const themes = /** @type {const} */ ({ system: ['light', 'Follow the system'], light: ['dark', 'Light'], dark: ['system', 'Dark'] });
  const glyph = { system: '◐', light: '☀', dark: '☾' }[state.theme];
  return h(
    'header', { class: 'bar' },
    h('a', { class: 'brand', href: '/', 'aria-label': 'Pitwall, start' },
      h('img', { src: '/icon.svg', alt: '', width: 22, height: 22 }), h('span', null, 'Pitwall')),
    state.run
      ? h('select', {
          class: 'run-choice', 'aria-label': 'Run', value: state.run.id,
          onChange: (/** @type {any} */ event) => showRun(event.target.value),
        }, state.runs.filter((open) => open.state === 'ready').map((open) => h('option', { value: open.id }, open.title)))
      : null,
    h(Compare, null),
    h('div', { class: 'grow' }),
    state.run ? h(Search, null) : null,
    state.run
      ? h('button', { class: 'tool', 'aria-pressed': state.criticalPath, title: 'Critical path (C)', onClick: toggleCriticalPath }, 'Critical path')
      : null,
    h('label', { class: 'tool file' }, 'Open …',
      h('input', { type: 'file', class: 'hidden-input', 'aria-label': 'Open a file', onChange: (/** @type {any} */ event) => openFiles(event.target.files) })),
    h('button', {
      class: 'icon', id: 'theme', title: `${themes[state.theme][1]}; click for ${themes[state.theme][0]}`,
      'aria-label': `Colour scheme: ${themes[state.theme][1]}`, onClick: () => setTheme(themes[state.theme][0]),
    }, glyph),
    h('button', { class: 'icon', title: 'Keys (?)', 'aria-label': 'Keys', 'aria-expanded': state.help, onClick: () => set({ help: !state.help }) }, '?'),
  );
}

function Help() {
  if (!state.help) return null;
  return h(
    'div', { class: 'help', role: 'dialog', 'aria-label': 'Keys' },
    h('h2', null, 'Keys'),
    h('dl', null, KEYS.map(([key, what]) => [h('dt', null, key), h('dd', null, what)])),
    h('p', { class: 'faint' }, 'Wheel zooms at the pointer, drag pans, double click fits a slice. Drag in the axis selects a range.'),
    h('button', { class: 'tool', onClick: () => set({ help: false }) }, 'Close'),
  );
}

function Notice() {
  if (state.error) {
    return h('div', { class: 'notice error', role: 'alert' }, h('span', null, state.error),
      h('button', { class: 'icon', 'aria-label': 'Dismiss', onClick: () => set({ error: '' }) }, '×'));
  }
  return state.opening
    ? h('div', { class: 'notice', role: 'status' }, h('span', { class: 'spinner' }), `Reading ${state.opening} …`)
    : null;
}

function Screens() {
  /** @param {typeof state.screen} screen @param {string} label */
  const button = (screen, label) =>
    h('button', {
      'aria-pressed': state.screen === screen,
      onClick: () => set({ screen, ...(screen === 'drawer' ? { drawerOpen: true } : {}) }),
    }, label);
  return h('nav', { class: 'screens', 'aria-label': 'Screens' },
    button('timeline', 'Timeline'), button('side', 'Findings'), button('drawer', 'Details'));
}

class App extends Component {
  componentDidMount() {
    watch(() => this.forceUpdate());
    document.addEventListener('keydown', onKey);
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    document.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) document.body.classList.remove('dropping');
    });
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      document.body.classList.remove('dropping');
      if (event.dataTransfer?.files.length) openFiles(event.dataTransfer.files);
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => timeline()?.recolour());
    start();
  }

  render() {
    const open = state.run !== null || state.reading !== null;
    return h(
      'div', { class: `page screen-${state.screen} ${open ? 'has-run' : ''}` },
      h(Bar, null),
      h(Notice, null),
      h('main', { class: `work ${state.drawerOpen ? '' : 'drawer-shut'}`, hidden: !open },
        h('h1', { class: 'sr-only' }, state.run ? `Timeline of ${state.run.title}` : 'Pitwall'),
        h(TimelinePane, null), open ? h(Side, null) : null, open ? h(Drawer, null) : null),
      open || !state.started ? null : h(OpenScreen, null),
      open ? h(Screens, null) : null,
      h(Help, null),
    );
  }
}

async function start() {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') setTheme(theme);
  try {
    await refreshRuns();
    await followLink();
    await refreshRuns();
  } catch (failure) {
    fail(failure);
  }
}

render(h(App, null), /** @type {HTMLElement} */ (document.getElementById('app')));

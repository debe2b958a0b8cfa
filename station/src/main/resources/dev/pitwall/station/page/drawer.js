// @ts-check
import { h } from './vendor/preact.js';
import { runQuery, selectRow } from './actions.js';
import { count, duration, shortName } from './format.js';
import { Occupancy } from './occupancy.js';
import { SliceTable } from './slice-table.js';
import { timeline } from './actions.js';
import { set, state } from './state.js';

/** @param {{ slice: any, children?: any }} props */
function Link({ slice }) {
  return h('button', { class: 'link', title: slice.name, onClick: () => selectRow(slice.rank, slice.row, state.sliceSection) },
    h('i', { style: { backgroundColor: timeline()?.palette.colour(slice.kind) ?? '' } }), shortName(slice.name), h('span', { class: 'faint' }, ` ${duration(slice.dur_ns)}`));
}

function Details() {
  const { slice } = state;
  if (!slice) return h('p', { class: 'faint' }, 'Click a slice, or press / to search.');
  const track = timeline()?.sections[state.sliceSection]?.run.tracks[slice.track];
  /** @type {[string, any][]} */
  const facts = [
    ['track', track?.label], ['category', slice.category.replaceAll('_', ' ')],
    ['start', duration(slice.start_ns, 6)], ['duration', duration(slice.dur_ns, 4)],
    ['self', slice.self_ns === slice.dur_ns ? null : duration(slice.self_ns, 4)],
    ['step', slice.step < 0 ? 'none' : slice.step],
    ['launch', slice.orphan ? 'before the recording began' : null],
    ...Object.entries(slice.arguments),
  ];
  return h(
    'div', { class: 'details' },
    h('h2', { class: 'slice-name', id: 'slice-name' }, slice.name),
    h('div', { class: 'columns' },
      h('dl', { class: 'facts' }, facts.filter(([, value]) => value !== null && value !== undefined).map(([key, value]) => [h('dt', null, key), h('dd', null, String(value))])),
      h('div', null,
        ['launch', 'operator', 'forward', 'backward'].map((key) =>
          slice[key] && key !== 'launch' || slice.launch && key === 'launch'
            ? h('p', null, h('span', { class: 'faint' }, `${{ launch: 'launched by', operator: 'operator', forward: 'forward', backward: 'backward' }[key]} `), h(Link, { slice: slice[key] }), key === 'launch' ? h('span', { class: 'faint' }, ` ${duration(slice.start_ns - slice.launch.start_ns)} before it began`) : null)
            : null),
        slice.launched?.length > 0
          ? h('div', null, h('h3', null, `launched ${slice.launched.length}`), h('ul', { class: 'plain' }, slice.launched.map((/** @type {any} */ each) => h('li', null, h(Link, { slice: each })))))
          : null),
      slice.arguments.block ? h(Occupancy, { key: `${slice.rank}:${slice.row}`, slice }) : null,
      slice.stack?.length > 0
        ? h('div', null, h('h3', null, 'stack, innermost first'), h('ol', { class: 'plain stack' }, slice.stack.map((/** @type {any} */ frame) => h('li', null, h(Link, { slice: frame })))))
        : null),
  );
}

function Statistics() {
  const { statistics } = state;
  if (!statistics) return h('p', { class: 'faint' }, 'Select a range: Shift + drag in the timeline, or drag in the axis.');
  const length = statistics.to_ns - statistics.from_ns;
  const tracks = timeline()?.sections[0]?.run.tracks ?? [];
  return h(
    'div', { class: 'columns wide' },
    h('div', null, h('h3', null, `busy in ${duration(length)}`),
      h('table', { class: 'numbers' },
        h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'track'), h('th', { scope: 'col', class: 'number' }, 'busy'), h('th', { scope: 'col', class: 'number' }, 'share'))),
        h('tbody', null, statistics.tracks.filter((/** @type {any} */ each) => each.busy_ns > 0).map((/** @type {any} */ each) =>
          h('tr', null, h('td', null, tracks[each.track]?.label), h('td', { class: 'number' }, duration(each.busy_ns)), h('td', { class: 'number' }, `${((100 * each.busy_ns) / length).toFixed(1)} %`)))))),
    h('div', null, h('h3', null, `${count(statistics.name_count)} names, longest in sum first`),
      h('table', { class: 'numbers' },
        h('thead', null, h('tr', null, ['name', 'count', 'total', 'self', 'longest'].map((key, column) => h('th', { scope: 'col', class: column > 0 ? 'number' : '' }, key)))),
        h('tbody', null, statistics.names.slice(0, 100).map((/** @type {any} */ each) =>
          h('tr', null, h('td', { class: 'text', title: each.name }, h('i', { class: 'dot', style: { backgroundColor: timeline()?.palette.colour(each.kind) ?? '' } }), shortName(each.name)),
            h('td', { class: 'number' }, count(each.count)), h('td', { class: 'number' }, duration(each.total_ns)), h('td', { class: 'number' }, duration(each.self_ns)), h('td', { class: 'number' }, duration(each.longest_ns))))))),
  );
}

function Query() {
  const { query } = state;
  return h(
    'form', { class: 'query', onSubmit: (/** @type {Event} */ event) => { event.preventDefault(); runQuery(query.sql); } },
    h('textarea', {
      id: 'sql', 'aria-label': 'SQL', spellcheck: false, rows: 7, value: query.sql,
      onInput: (/** @type {any} */ event) => set({ query: { ...query, sql: event.target.value } }),
      onKeyDown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) runQuery(query.sql);
      },
    }),
    h('div', { class: 'query-bar' },
      h('button', { class: 'tool primary', type: 'submit', disabled: query.busy, id: 'run-query' }, query.busy ? 'Running …' : 'Run  (Ctrl+Enter)'),
      h('span', { class: 'faint', role: 'status' },
        query.result ? `${count(query.result.rows.length)} rows${query.result.cut ? ', cut at the limit' : ''}, ${query.result.millis} ms`
          : 'slices, operators, launches, steps, findings, evidence, counters, memory, tracks, losses')),
    query.error ? h('pre', { class: 'query-error', role: 'alert', tabIndex: 0 }, query.error) : null,
    query.result
      ? h('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Result' },
          h('table', { class: 'numbers', id: 'query-result' },
            h('thead', null, h('tr', null, query.result.columns.map((/** @type {string} */ name, /** @type {number} */ column) => h('th', { scope: 'col', class: query.result.numeric[column] ? 'number' : '' }, name)))),
            h('tbody', null, query.result.rows.map((/** @type {(string | null)[]} */ row) =>
              h('tr', null, row.map((value, column) => h('td', { class: query.result.numeric[column] ? 'number' : 'text', title: value ?? 'NULL' }, value ?? '–')))))))
      : null,
  );
}

/** The panel under the timeline. */
export function Drawer() {
  /** @param {typeof state.drawer} drawer @param {string} label */
  const tab = (drawer, label) =>
    h('button', { role: 'tab', id: `tab-${drawer}`, 'aria-selected': state.drawer === drawer, 'aria-controls': 'drawer-panel', onClick: () => set({ drawer, drawerOpen: true }) }, label);
  return h(
    'section', { class: 'drawer', 'aria-label': 'Details, statistics, table and query' },
    h('div', { class: 'tabs' },
      h('div', { role: 'tablist', class: 'tablist' }, tab('details', 'Details'), tab('statistics', 'Statistics'), tab('table', 'Table'), tab('query', 'Query')),
      h('div', { class: 'grow' }),
      h('button', { class: 'icon shut', 'aria-expanded': state.drawerOpen, 'aria-label': state.drawerOpen ? 'Shut the drawer' : 'Open the drawer', onClick: () => set({ drawerOpen: !state.drawerOpen }) }, state.drawerOpen ? '▾' : '▴')),
    h('div', { class: 'panel', id: 'drawer-panel', role: 'tabpanel', tabIndex: 0, 'aria-labelledby': `tab-${state.drawer}`, hidden: !state.drawerOpen },
      state.drawer === 'details' ? h(Details, null)
        : state.drawer === 'statistics' ? h(Statistics, null)
          : state.drawer === 'table' ? h(SliceTable, null) : h(Query, null)),
  );
}

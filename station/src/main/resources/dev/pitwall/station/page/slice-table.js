// @ts-check
import { Component, h } from './vendor/preact.js';
import { fail, selectRow, timeline } from './actions.js';
import { getJson } from './api.js';
import { count, duration } from './format.js';
import { state } from './state.js';

/** The twin of the canvas: one track's slices in the view, as a table. */
export class SliceTable extends Component {
  constructor() {
    super();
    this.state = { track: -1, rows: /** @type {any[]} */ ([]), total: 0, loaded: '' };
  }

  componentDidMount() {
    this.load();
  }

  /** @param {boolean} [more] */
  async load(more = false) {
    const shown = timeline();
    if (!shown || !state.run) return;
    const kept = /** @type {any} */ (this.state);
    const track = kept.track >= 0 ? kept.track : (state.slice?.track ?? this.tracks()[0]?.id ?? 0);
    const { start, end } = shown.view;
    const after = more && kept.rows.length > 0 ? kept.rows[kept.rows.length - 1].row : -1;
    try {
      const answer = await getJson('/api/table', {
        run: state.run.id, track, from: Math.floor(start), to: Math.ceil(end), after,
      });
      this.setState({
        track, total: answer.total, rows: more ? [...kept.rows, ...answer.rows] : answer.rows,
        loaded: `${duration(end - start)} from ${duration(Math.max(0, start), 5)}`,
      });
    } catch (failure) {
      fail(failure);
    }
  }

  tracks() {
    return (state.run?.tracks ?? []).slice().sort((a, b) => (a.kind === b.kind ? a.id - b.id : a.kind === 'stream' ? -1 : b.kind === 'stream' ? 1 : a.id - b.id));
  }

  render() {
    const { track, rows, total, loaded } = /** @type {any} */ (this.state);
    return h(
      'div', null,
      h('div', { class: 'query-bar' },
        h('select', { 'aria-label': 'Track', value: `${track}`, onChange: (/** @type {any} */ event) => this.setState({ track: Number(event.target.value) }, () => this.load()) },
          this.tracks().map((each) => h('option', { value: `${each.id}` }, `${(state.run?.ranks.length ?? 0) > 1 ? `rank ${state.run?.ranks[each.rank].rank}, ` : ''}${each.label}`))),
        h('button', { class: 'tool', onClick: () => this.load() }, 'Take the view'),
        h('span', { class: 'faint', role: 'status' }, `${count(total)} slices in ${loaded}`)),
      h('table', { class: 'numbers' },
        h('thead', null, h('tr', null, ['name', 'category', 'start', 'duration'].map((key, column) => h('th', { scope: 'col', class: column > 1 ? 'number' : '' }, key)))),
        h('tbody', null, rows.map((/** @type {any} */ row) =>
          h('tr', null,
            h('td', { class: 'text' }, h('button', { class: 'link', title: row.name, onClick: () => selectRow(state.run?.tracks[track]?.rank ?? 0, row.row) }, row.name)),
            h('td', null, row.category.replaceAll('_', ' ')), h('td', { class: 'number' }, duration(row.start_ns, 6)), h('td', { class: 'number' }, duration(row.dur_ns)))))),
      rows.length < total ? h('button', { class: 'tool', onClick: () => this.load(true) }, 'more') : null,
    );
  }
}

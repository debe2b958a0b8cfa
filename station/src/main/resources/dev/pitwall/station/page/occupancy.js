// @ts-check
import { Component, h } from './vendor/preact.js';
import { timeline } from './actions.js';
import { getJson } from './api.js';
import { state } from './state.js';

/** How full a kernel makes a multiprocessor, and how full other block sizes would. */
export class Occupancy extends Component {
  constructor() {
    super();
    this.state = { found: /** @type {any} */ (null) };
  }

  async componentDidMount() {
    const { slice } = /** @type {any} */ (this.props);
    const run = timeline()?.sections[state.sliceSection]?.run.id ?? '';
    try {
      const { occupancy } = await getJson('/api/occupancy', { run, rank: slice.rank, row: slice.row });
      this.setState({ found: occupancy });
    } catch {
      // A recording that does not name its device has no occupancy to show.
      this.setState({ found: null });
    }
  }

  render() {
    const { found } = /** @type {any} */ (this.state);
    if (!found) return null;
    const { kernel } = found;
    return h('div', null,
      h('h3', null, 'occupancy'),
      h('p', null, h('b', null, `${Math.round(kernel.fraction * 100)} %`), ` of ${kernel.max_warps} warps, limited by ${kernel.limited_by.join(' and ')}`),
      h('table', { class: 'bars' }, h('caption', { class: 'sr-only' }, 'Occupancy by threads in a block'),
        h('tbody', null, found.by_block_size.map((/** @type {any} */ at) =>
          h('tr', { class: at.threads_per_block === kernel.threads_per_block ? 'here' : '' },
            h('th', { scope: 'row' }, at.threads_per_block),
            h('td', null, h('i', { style: { width: `${at.fraction * 100}%` } })),
            h('td', { class: 'number' }, `${Math.round(at.fraction * 100)} %`))))));
  }
}

// @ts-check
import { Component, h } from './vendor/preact.js';
import { post } from './api.js';
import { bytes, count, duration, percent } from './format.js';
import { state } from './state.js';

/** @param {any} estimate milliseconds */
const step = (estimate) => `${duration(estimate.value * 1e6)} (${duration(estimate.low * 1e6)} to ${duration(estimate.high * 1e6)})`;

/** @param {{ rows: any[] }} props */
function Traced({ rows }) {
  return h('table', { class: 'numbers wrapped' },
    h('thead', null, h('tr', null, ['strategy', 'step', 'exposed', 'scaling'].map((name, column) => h('th', { scope: 'col', class: column > 0 ? 'number' : '' }, name)))),
    h('tbody', null, rows.map((row) => h('tr', null, h('td', { class: 'text' }, row.name), h('td', { class: 'number', title: step(row.step_ms) }, duration(row.step_ms.value * 1e6)),
      h('td', { class: 'number' }, duration(row.exposed_communication_ms * 1e6)), h('td', { class: 'number' }, percent(row.scaling))))));
}

/** Throughput against memory: the further right and the lower, the better. @param {{ rows: any[] }} props */
function TradeOff({ rows }) {
  const speeds = rows.map((row) => row.tokens_per_s_per_gpu);
  const most = Math.max(...speeds);
  const least = Math.min(...speeds) * 0.9;
  const capacity = Math.max(...rows.map((row) => row.memory.capacity_bytes));
  const top = Math.max(capacity, ...rows.map((row) => row.memory.reserved_bytes)) * 1.05;
  /** @param {number} value */
  const y = (value) => 150 - (value / top) * 136;
  /** @param {number} value */
  const x = (value) => 62 + ((value - least) / Math.max(1e-9, most - least)) * 246;
  return h('figure', { class: 'curve' },
    h('figcaption', null, 'Memory of a GPU (up) against tokens per second and GPU (right)'),
    h('svg', { viewBox: '0 0 320 172', role: 'img', 'aria-label': 'Trade-off of memory and throughput', class: 'trade-off' },
      [0, capacity / 2, capacity].map((value) => [
        h('line', { x1: 56, x2: 314, y1: y(value), y2: y(value), class: value === capacity ? 'capacity' : '' }),
        h('text', { x: 52, y: y(value) + 3.5, 'text-anchor': 'end' }, value === 0 ? '0' : bytes(value))]),
      h('text', { x: 62, y: 167 }, count(least)),
      h('text', { x: 314, y: 167, 'text-anchor': 'end' }, `${count(most)} tokens/s`),
      rows.map((row, number) => h('circle', { cx: x(row.tokens_per_s_per_gpu), cy: y(row.memory.reserved_bytes), r: number === 0 ? 6 : 4, class: number === 0 ? 'best' : '' },
        h('title', null, `${row.strategy}: ${count(row.tokens_per_s_per_gpu)} tokens/s, ${bytes(row.memory.reserved_bytes)}`)))));
}

/** @param {{ plan: any }} props */
function Planned({ plan }) {
  if (!plan.fits) {
    const [least] = plan.least_memory_that_does_not_fit ?? [];
    return h('p', null, `${plan.model} does not fit on ${plan.gpus} x ${plan.gpu}.`, least ? ` The least memory is ${bytes(least.memory.reserved_bytes)} a GPU, with ${least.strategy}.` : '');
  }
  const [best] = plan.best;
  const rows = [...new Map([...plan.best, ...plan.families].map((row) => [row.strategy, row])).values()];
  const owners = best.memory.owners.filter((/** @type {any} */ owner) => owner.bytes > 0);
  const largest = Math.max(1, ...owners.map((/** @type {any} */ owner) => owner.bytes));
  return [
    h('p', null, h('b', null, best.strategy), `: ${count(best.tokens_per_s_per_gpu)} tokens/s a GPU, MFU ${percent(best.mfu)}, step ${step(best.step_ms)}, limited by ${best.limited_by}.`),
    h(TradeOff, { rows }),
    h('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Strategies' }, h('table', { class: 'numbers wrapped' },
      h('thead', null, h('tr', null, ['strategy', 'tokens/s', 'MFU', 'memory'].map((name, column) => h('th', { scope: 'col', class: column > 0 ? 'number' : '' }, name)))),
      h('tbody', null, rows.map((row) => h('tr', null, h('td', { class: 'text', title: row.strategy }, row.strategy), h('td', { class: 'number' }, count(row.tokens_per_s_per_gpu)), h('td', { class: 'number' }, percent(row.mfu)), h('td', { class: 'number' }, bytes(row.memory.reserved_bytes))))))),
    h('h3', null, `memory of the best by owner, at ${best.memory.peak_moment}`),
    h('table', { class: 'bars' }, h('tbody', null, owners.map((/** @type {any} */ owner) =>
      h('tr', null, h('th', { scope: 'row' }, owner.name), h('td', null, h('i', { style: { width: `${(owner.bytes / largest) * 100}%` } })), h('td', { class: 'number' }, bytes(owner.bytes)))))),
    (plan.sensitivity ?? []).length > 0 ? h('ul', { class: 'faint' }, plan.sensitivity.map((/** @type {string} */ line) => h('li', null, line))) : null,
  ];
}

/** How this job, or a known model, would run on a cluster. */
export class Scale extends Component {
  constructor() {
    super();
    const device = state.report?.inputs?.[0]?.devices?.[0]?.name ?? '';
    const gpu = /(H200|H100|A100|B200|L40S|MI300X)/.exec(device)?.[0] ?? 'H100';
    this.state = { cluster: `8x${gpu}`, model: '', busy: false, error: '', plan: /** @type {any} */ (null) };
  }

  /** @param {Event} event */
  async ask(event) {
    event.preventDefault();
    const { cluster, model } = /** @type {any} */ (this.state);
    this.setState({ busy: true, error: '', plan: null });
    try {
      const { plan } = await post('/api/plan', { run: state.run?.id ?? '' }, { cluster, model });
      this.setState({ busy: false, plan });
    } catch (failure) {
      this.setState({ busy: false, error: failure instanceof Error ? failure.message : String(failure) });
    }
  }

  render() {
    const { cluster, model, busy, error, plan } = /** @type {any} */ (this.state);
    return h('div', { class: 'report' },
      h('form', { class: 'card', onSubmit: (/** @type {Event} */ event) => this.ask(event) },
        h('h2', null, 'On another cluster'),
        h('label', { class: 'field' }, 'cluster', h('input', { value: cluster, spellcheck: false, placeholder: '8xH100/4nodes:ib400', onInput: (/** @type {any} */ event) => this.setState({ cluster: event.target.value }) })),
        h('label', { class: 'field' }, 'model', h('input', { value: model, spellcheck: false, placeholder: 'this run, or a name such as llama-3.1-70b', onInput: (/** @type {any} */ event) => this.setState({ model: event.target.value }) })),
        h('button', { class: 'tool primary', type: 'submit', disabled: busy }, busy ? 'Planning …' : 'Plan'),
        error ? h('p', { class: 'loss', role: 'alert' }, error) : null),
      plan ? h('section', { class: 'card' }, h('h2', null, `${plan.model ?? 'This run'} on ${plan.gpus} x ${plan.gpu}`), plan.strategies ? h(Traced, { rows: plan.strategies }) : h(Planned, { plan })) : null);
  }
}

// @ts-check
import { Component, h } from './vendor/preact.js';
import { findingsOf, showFinding, toggleFix } from './actions.js';
import { duration, percent } from './format.js';
import { Report } from './report.js';
import { Scale } from './scale.js';
import { set, state } from './state.js';

/** @param {number} millis */
const ms = (millis) => duration(millis * 1e6);

const BOUND_BY = /** @type {Record<string, string>} */ ({ gpu: 'the GPU', host: 'the host', unknown: 'nothing known' });

const IDLE = [
  ['host', 'the host is too slow'],
  ['host_sync', 'the host waited for the GPU'],
  ['input', 'input'],
  ['kernel', 'gaps between kernels'],
  ['communication', 'communication'],
  ['unexplained', 'unexplained'],
];

const PARTS = [
  ['compute', 'compute', 'part-compute'],
  ['exposed_communication', 'exposed communication', 'part-communication'],
  ['memcpy', 'copies', 'part-copy'],
  ['idle', 'idle', 'part-idle'],
];

/** @param {{ steps: any, breakdown: any }} props */
function Step({ steps, breakdown }) {
  const gpu = breakdown?.gpu_ms_per_step ?? {};
  const total = PARTS.reduce((sum, [key]) => sum + (gpu[key] ?? 0), 0);
  const estimate = steps?.estimated_ms;
  const idle = breakdown?.idle_ms_per_step ?? {};
  const causes = IDLE.filter(([key]) => (idle[key] ?? 0) > 0.005 * total).sort((a, b) => idle[b[0]] - idle[a[0]]);
  return h(
    'section', { class: 'card step' },
    h('div', { class: 'figures' },
      estimate?.value != null
        ? h('div', null, h('span', { class: 'figure', id: 'step-estimate' }, ms(estimate.value)),
            h('span', { class: 'faint' }, `a step without the profiler (${ms(estimate.low)} to ${ms(estimate.high)}, ${String(estimate.basis).toLowerCase()})`))
        : null,
      steps?.profiled_ms?.median != null
        ? h('div', null, h('span', { class: estimate?.value != null ? 'figure second' : 'figure' }, ms(steps.profiled_ms.median)),
            h('span', { class: 'faint' }, `as recorded, ${steps.count} ${steps.count === 1 ? 'step' : 'steps'}${steps.bound ? `, bound by ${BOUND_BY[steps.bound] ?? steps.bound}` : ''}`))
        : null),
    total > 0
      ? [
          h('div', { class: 'parts', role: 'img', 'aria-label': PARTS.map(([key, label]) => `${label} ${ms(gpu[key] ?? 0)}`).join(', ') },
            PARTS.map(([key, , style]) => h('i', { class: style, style: { flexGrow: `${(gpu[key] ?? 0) / total}` } }))),
          h('ul', { class: 'keys' }, PARTS.filter(([key]) => (gpu[key] ?? 0) > 0).map(([key, label, style]) =>
            h('li', null, h('i', { class: style }), `${label} `, h('b', null, ms(gpu[key])))))]
      : null,
    causes.length > 0
      ? h('p', { class: 'faint causes' }, 'idle because of: ', causes.map(([key, label], i) => [i > 0 ? ', ' : '', `${label} `, h('b', null, ms(idle[key]))]))
      : null,
  );
}

function Prediction() {
  if (state.fixesOn.size === 0) return null;
  const { prediction } = state;
  if (!prediction || state.predicting) {
    return h('section', { class: 'card prediction', role: 'status' }, h('span', { class: 'spinner' }), 'Simulating …');
  }
  const change = prediction.predicted / prediction.baseline - 1;
  return h(
    'section', { class: 'card prediction', role: 'status' },
    h('div', null, h('span', { class: 'figure', id: 'predicted-step' }, ms(prediction.predicted)),
      h('span', { class: change < 0 ? 'gain' : 'loss' }, `${change < 0 ? '−' : '+'}${percent(Math.abs(change))}`)),
    h('p', { class: 'faint' }, `predicted step with ${state.fixesOn.size} ${state.fixesOn.size === 1 ? 'fix' : 'fixes'} (${ms(prediction.low)} to ${ms(prediction.high)}), from ${ms(prediction.baseline)}`),
    (prediction.notes ?? []).map((note) => h('p', { class: 'faint' }, note)),
  );
}

/** @param {{ finding: any, number: number, severity: string }} props */
function Finding({ finding, number, severity }) {
  const chosen = state.finding === number;
  const pieces = finding.evidence?.length ?? 0;
  const gain = finding.gain;
  return h(
    'li', { class: `card finding ${chosen ? 'chosen' : ''}` },
    h('button', { class: 'head', 'aria-expanded': chosen, onClick: () => (chosen ? set({ finding: -1 }) : showFinding(number)) },
      h('span', { class: `severity ${severity}` }, severity),
      h('span', { class: 'title' }, finding.title),
      gain?.value_ms > 0 ? h('span', { class: 'gain' }, `−${ms(gain.value_ms)}`) : null),
    chosen
      ? h('div', { class: 'body' },
          h('p', null, finding.why),
          gain ? h('p', { class: 'faint' }, `gain ${ms(gain.low_ms ?? 0)} to ${ms(gain.high_ms ?? 0)} a step, ${percent(gain.fraction ?? 0)} (${String(gain.basis).toLowerCase()})`) : null,
          finding.fix?.text ? h('p', null, h('b', null, 'Fix: '), finding.fix.text) : null,
          finding.fix?.code ? h('pre', { tabIndex: 0 }, h('code', null, finding.fix.code)) : null,
          finding.fix?.link ? h('p', null, h('a', { href: safeLink(finding.fix.link), rel: 'noopener noreferrer', target: '_blank' }, 'PyTorch documentation')) : null,
          pieces > 0
            ? h('p', { class: 'evidence' },
                h('button', { class: 'tool small', 'aria-label': 'Previous evidence', onClick: () => showFinding(number, state.evidence - 1) }, '‹'),
                `evidence ${state.evidence + 1} of ${pieces}`,
                h('button', { class: 'tool small', 'aria-label': 'Next evidence', onClick: () => showFinding(number, state.evidence + 1) }, '›'))
            : null)
      : null,
    h(Switch, { id: finding.fix_id ?? finding.id, of: finding.id }),
  );
}

/** Its place is taken before it is known whether the fix can be simulated, so that nothing moves. @param {{ id: string, of: string }} props */
function Switch({ id, of }) {
  if (state.fixes && !state.fixes.has(id)) {
    return h('p', { class: 'switch none' }, 'its fix cannot be simulated on this recording');
  }
  return h('label', { class: 'switch' },
    h('input', { type: 'checkbox', role: 'switch', disabled: !state.fixes, checked: state.fixesOn.has(id), 'aria-label': `Simulate the fix of ${of}`, onChange: (/** @type {any} */ event) => toggleFix(id, event.target.checked) }),
    h('i', null), h('span', null, state.fixes ? 'simulate this fix' : 'simulating …'));
}

/** Says what is awaited, and for how long already. */
class Waiting extends Component {
  constructor() {
    super();
    this.state = { seconds: 0 };
    this.timer = 0;
  }

  componentDidMount() {
    this.timer = window.setInterval(() => this.setState({ seconds: /** @type {any} */ (this.state).seconds + 1 }), 1000);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  render() {
    const { seconds } = /** @type {any} */ (this.state);
    return h('p', { class: 'card' }, h('span', { class: 'spinner' }), h('span', { role: 'status' }, /** @type {any} */ (this.props).what),
      seconds > 1 ? h('span', { class: 'faint' }, ` ${seconds} s`) : null);
  }
}

/** Only web addresses become links. @param {string} link */
function safeLink(link) {
  return /^https?:\/\//.test(link) ? link : undefined;
}

function Difference() {
  const found = state.difference;
  if (!found) return null;
  return h('section', { class: 'card' }, h('h2', null, 'What changed'),
    h('p', { class: 'summary' }, `The step went from ${ms(found.before.value_ms)} to ${ms(found.after.value_ms)} (${found.difference_ms > 0 ? '+' : '−'}${percent(Math.abs(found.fraction))}); two runs of one program differ by about ${ms(found.noise_ms)}.`),
    h('table', { class: 'numbers' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'cause'), h('th', { scope: 'col' }, 'a step'))),
      h('tbody', null, (found.causes ?? []).filter((/** @type {any} */ cause) => cause.change_ms !== 0).map((/** @type {any} */ cause) =>
        h('tr', null, h('td', null, cause.name), h('td', { class: cause.change_ms < 0 ? 'gain' : cause.change_ms > 0 ? 'loss' : '' }, `${cause.change_ms > 0 ? '+' : '−'}${ms(Math.abs(cause.change_ms))}`))))));
}

function Findings() {
  const { report, reportError } = state;
  if (reportError) return h('p', { class: 'card', role: 'alert' }, reportError);
  if (!state.run) return h('p', { class: 'card' }, 'Findings follow when the trace is read.');
  if (!report) return h(Waiting, { what: 'Looking for findings and simulating their fixes …' });
  const all = findingsOf(report);
  const findings = report.findings ?? [];
  const opportunities = report.opportunities ?? [];
  return [
    report.verdict ? h('p', { class: 'verdict' }, report.verdict) : null,
    h(Step, { steps: report.steps, breakdown: report.breakdown }),
    h(Difference, null),
    h(Prediction, null),
    h('h2', null, findings.length === 0 ? 'Findings' : 'Findings, worst first'),
    findings.length === 0 ? h('p', { class: 'faint' }, 'No rule found a fault in this run.') : null,
    h('ol', { class: 'findings' }, findings.map((/** @type {any} */ finding) => h(Finding, { key: `f${all.indexOf(finding)}`, finding, number: all.indexOf(finding), severity: finding.severity }))),
    opportunities.length > 0 ? h('h2', null, 'Opportunities') : null,
    h('ol', { class: 'findings' }, opportunities.map((/** @type {any} */ finding) => h(Finding, { key: `o${all.indexOf(finding)}`, finding, number: all.indexOf(finding), severity: 'opportunity' }))),
    (report.not_judged ?? []).length > 0
      ? h('details', { class: 'card' }, h('summary', null, `${report.not_judged.length} not judged`),
          h('ul', null, report.not_judged.map((/** @type {any} */ rule) => h('li', null, h('b', null, rule.id), ` needs ${rule.needs}`))))
      : null,
  ];
}

/** The column beside the timeline. */
export function Side() {
  /** @param {typeof state.side} side @param {string} label */
  const tab = (side, label) =>
    h('button', { role: 'tab', id: `tab-${side}`, 'aria-selected': state.side === side, 'aria-controls': 'side-panel', onClick: () => set({ side }) }, label);
  return h('aside', { class: 'side', 'aria-label': 'Findings and report' },
    h('div', { class: 'tabs', role: 'tablist' }, tab('findings', 'Findings'), tab('report', 'Report'), tab('scale', 'Scale')),
    h('div', { class: 'panel', id: 'side-panel', role: 'tabpanel', tabIndex: 0, 'aria-labelledby': `tab-${state.side}` },
      state.side === 'findings' ? h(Findings, null) : state.side === 'report' ? h(Report, null) : h(Scale, null)));
}

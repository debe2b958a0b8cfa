// @ts-check
// Any section of the report as headings, figures, tables and curves: what a number is shows in its
// name (`_ms`, `_bytes`, `fraction`), so a section that a gear adds needs no code here.
import { Component, createRef, h } from './vendor/preact.js';
import { bytes, count, duration, percent, plain } from './format.js';
import { state } from './state.js';

const SHOWN_ELSEWHERE = new Set(['schema', 'verdict', 'findings', 'opportunities', 'not_judged', 'sections']);
const MAXIMUM_ROWS = 60;
const MAXIMUM_COLUMNS = 7;

/** @param {string} key */
const words = (key) =>
  key.replace(/_(ms|ns|us|bytes)(?=_|$)/, '').replaceAll('_', ' ').replace(/\b(gpu|cpu|sql)\b/g, (word) => word.toUpperCase());

/** The unit that a section's name gives to the numbers in it: `gpu_ms_per_step` holds milliseconds. @param {string} name @param {string} key */
const withUnit = (name, key) => {
  const unit = /_(ms|ns|us|bytes)(?=_|$)/.exec(name)?.[0] ?? '';
  return /_(ms|ns|us|bytes|fraction)(?=_|$)/.test(key) ? key : key + unit;
};

/** @param {string} key @param {unknown} value @returns {string} */
function cell(key, value) {
  if (value === null || value === undefined || (key === 'rank' && value === -1)) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') {
    const estimate = /** @type {any} */ (value);
    if ('value' in estimate && 'low' in estimate) {
      return `${cell(key, estimate.value)} (${cell(key, estimate.low)} to ${cell(key, estimate.high)})`;
    }
    if (Array.isArray(value)) return value.map((each) => cell(key, each)).join(', ');
    return Object.entries(estimate).map(([name, each]) => `${words(name)} ${cell(name, each)}`).join(', ');
  }
  if (typeof value !== 'number') return String(value);
  if (/ms($|_)/.test(key)) return duration(value * 1e6);
  if (/us$/.test(key)) return duration(value * 1e3);
  if (/ns$/.test(key)) return duration(value);
  if (/bytes/.test(key)) return bytes(value);
  if (/fraction|share|utilization|percent_of/.test(key)) return percent(value);
  return Number.isInteger(value) ? count(value) : plain(value, 4);
}

/** @param {unknown} value */
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list of records with `time`-like and number columns of the same length, drawn as a curve. */
class Curve extends Component {
  constructor() {
    super();
    this.place = createRef();
    /** @type {any} */
    this.plot = null;
  }

  async componentDidMount() {
    const { default: uPlot } = await import('./vendor/uPlot.js');
    if (!this.place.current) return;
    const { x, y, label, unit } = /** @type {any} */ (this.props);
    const style = getComputedStyle(document.documentElement);
    const colour = style.getPropertyValue('--accent').trim();
    const faint = style.getPropertyValue('--text-faint').trim();
    const line = style.getPropertyValue('--line').trim();
    const axis = { stroke: faint, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    this.plot = new uPlot(
      {
        width: Math.max(200, this.place.current.clientWidth), height: 150, legend: { show: false },
        scales: { x: { time: false } },
        axes: [{ ...axis, size: 28 }, { ...axis, size: 54, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((tick) => cell(unit, tick)) }],
        series: [{}, { label, stroke: colour, fill: `${colour}33`, width: 1.5 }],
      },
      [x, y], this.place.current,
    );
  }

  componentWillUnmount() {
    this.plot?.destroy();
  }

  shouldComponentUpdate() {
    return false;
  }

  render() {
    const { label } = /** @type {any} */ (this.props);
    return h('figure', { class: 'curve' }, h('figcaption', null, label), h('div', { class: 'plot', ref: this.place, role: 'img', 'aria-label': `Curve of ${label}` }));
  }
}

/** @param {{ rows: any[], name: string }} props */
function Table({ rows, name }) {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  /** @param {string} key */
  const isNumber = (key) => rows.every((row) => typeof row[key] === 'number');
  const known = keys.filter((key) => rows.some((row) => !Array.isArray(row[key]) || row[key].length < 8));
  // The figures stand beside the name, where a narrow column still shows them.
  const simple = [...known.slice(0, 1), ...known.slice(1).sort((a, b) => Number(isNumber(b)) - Number(isNumber(a)))].slice(0, MAXIMUM_COLUMNS);
  return h('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': words(name) },
    h('table', { class: 'numbers' },
      h('thead', null, h('tr', null, simple.map((key) => h('th', { scope: 'col', class: isNumber(key) ? 'number' : '' }, words(key))))),
      h('tbody', null, rows.slice(0, MAXIMUM_ROWS).map((row) =>
        h('tr', null, simple.map((key) => h('td', { class: typeof row[key] === 'number' ? 'number' : 'text', title: typeof row[key] === 'string' ? row[key] : undefined }, cell(key, row[key]))))))),
    rows.length > MAXIMUM_ROWS ? h('p', { class: 'faint' }, `${count(rows.length - MAXIMUM_ROWS)} more in the JSON report`) : null);
}

/** @param {any} value @returns {value is number[]} */
const isNumbers = (value) => Array.isArray(value) && value.length > 7 && value.every((each) => typeof each === 'number');

/** @param {{ name: string, value: any, depth?: number }} props @returns {any} */
function Part({ name, value, depth = 0 }) {
  if (Array.isArray(value)) {
    if (value.length === 0) return null;
    if (value.every(isRecord)) {
      const curves = value.filter(curveOf);
      if (curves.length === value.length) return curves.map((each) => h(Part, { name: each.name ?? name, value: each, depth }));
      return [h(depth === 0 ? 'h2' : 'h3', null, words(name)), h(Table, { rows: value, name })];
    }
    return h('p', null, h('b', null, `${words(name)}: `), cell(name, value));
  }
  if (!isRecord(value)) return h('p', null, h('b', null, `${words(name)}: `), cell(name, value));
  const curve = curveOf(value);
  if (curve) return h(Curve, { key: name, ...curve, label: words(value.name ?? name) });
  const entries = Object.entries(value);
  const figures = entries.filter(([, each]) => !Array.isArray(each) && !(isRecord(each) && !('value' in /** @type {any} */ (each))));
  const parts = entries.filter(([key]) => !figures.some(([figure]) => figure === key));
  return [
    h(depth === 0 ? 'h2' : 'h3', null, words(name)),
    figures.length > 0
      ? h('dl', { class: 'facts' }, figures.map(([key, each]) => [h('dt', null, words(key)), h('dd', null, cell(withUnit(name, key), each))]))
      : null,
    parts.map(([key, each]) => h(Part, { key, name: key, value: each, depth: depth + 1 })),
  ];
}

/** Two columns of numbers of the same length are a curve. @param {any} value */
function curveOf(value) {
  if (isNumbers(value.values) && typeof value.slot_ns === 'number') {
    return { x: value.values.map((/** @type {number} */ _, /** @type {number} */ slot) => (slot * value.slot_ns) / 1e6), y: value.values, unit: value.unit ?? '' };
  }
  const columns = Object.entries(value).filter(([, each]) => isNumbers(each));
  if (columns.length < 2 || columns[0][1].length !== columns[1][1].length) return null;
  const [[xKey, x], [yKey, y]] = columns;
  const scale = /_ns$/.test(xKey) ? 1e-6 : 1;
  return { x: /** @type {number[]} */ (x).map((each) => each * scale), y, unit: value.unit ?? yKey };
}

/** How long a bar under a figure is: its share of the column's largest, where all are of one unit. @param {string[][]} rows @param {number} column */
function shares(rows, column) {
  const cells = rows.map((row) => /^([0-9][0-9,.]*) ?(\D*)$/.exec(row[column] ?? ''));
  if (rows.length < 3 || cells.some((cell) => !cell || cell[2] !== cells[0]?.[2])) return rows.map(() => 0);
  const values = cells.map((cell) => Number(cell?.[1].replaceAll(',', '')));
  const largest = Math.max(...values);
  return values.map((value) => (largest > 0 ? value / largest : 0));
}

/** @param {{ table: any }} props */
function SectionTable({ table }) {
  const bars = table.header.map((/** @type {string} */ _, /** @type {number} */ column) => shares(table.rows, column));
  return h('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': table.title },
    h('table', { class: 'numbers wrapped' },
      h('thead', null, h('tr', null, table.header.map((/** @type {string} */ name, /** @type {number} */ column) => h('th', { scope: 'col', class: column === 0 ? '' : 'number' }, name)))),
      h('tbody', null, table.rows.map((/** @type {string[]} */ row, /** @type {number} */ number) =>
        h('tr', null, row.map((text, column) => h('td', { class: column === 0 ? 'text' : 'number', title: text }, text,
          column > 0 && bars[column][number] > 0 ? h('i', { class: 'bar-under', style: { width: `${bars[column][number] * 100}%` } }) : null)))))));
}

/** A section of another recorder or gear: a sentence and tables of texts. @param {{ section: any }} props */
function Section({ section }) {
  return h('section', { class: 'card' }, h('h2', { class: 'as-is' }, section.title), h('p', null, section.sentence),
    section.tables.map((/** @type {any} */ table) => [h('h3', null, table.title), h(SectionTable, { table })]));
}

/** Everything in the report beside the findings. */
export function Report() {
  if (!state.report) return h('p', { class: 'card', role: 'status' }, state.reportError || 'Analyzing …');
  return h('div', { class: 'report' },
    (state.report.sections ?? []).map((/** @type {any} */ section) => h(Section, { key: section.id, section })),
    Object.entries(state.report)
      .filter(([key]) => !SHOWN_ELSEWHERE.has(key))
      .map(([key, value]) => h('section', { class: 'card', key }, h(Part, { name: key, value }))),
    h('p', null, h('a', { class: 'tool', href: `/api/report?run=${state.run?.id ?? ''}`, download: 'report.json' }, 'Save the report as JSON')));
}

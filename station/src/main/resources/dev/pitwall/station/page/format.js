// @ts-check
// Numbers as people read them; a number and its unit stay on one line.

const LONGEST_SHORT_NAME = 120;
/** What is looked at of a name, so that a hostile one costs no more. */
const LONGEST_NAME = 2000;

/** @param {number} nanos @param {number} [digits] significant digits */
export function duration(nanos, digits = 3) {
  if (nanos === 0) return '0';
  const magnitude = Math.abs(nanos);
  if (magnitude < 1e3) return `${plain(nanos, digits)}\u00a0ns`;
  if (magnitude < 1e6) return `${plain(nanos / 1e3, digits)}\u00a0µs`;
  if (magnitude < 1e9) return `${plain(nanos / 1e6, digits)}\u00a0ms`;
  return `${plain(nanos / 1e9, digits)}\u00a0s`;
}

/** @param {number} value @param {number} [digits] */
export function plain(value, digits = 3) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.max(0, Math.min(6, digits - whole)));
}

/** @param {number} count */
export function count(count) {
  return Math.round(count).toLocaleString('en-US');
}

/** @param {number} bytes */
export function bytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${plain(value)}\u00a0${units[unit]}`;
}

/** @param {number} fraction */
export function percent(fraction) {
  return `${plain(fraction * 100, 2)}\u00a0%`;
}

/**
 * A recorder's name, short enough for a bar: no return type, namespaces, or argument lists.
 * @param {string} name
 */
export function shortName(name) {
  const python = /^(?:.*\/)?([^/]+\.py)\((\d+)\): (.*)$/.exec(name);
  if (python) return `${python[3]}  ${python[1]}:${python[2]}`;
  let text = name.slice(0, LONGEST_NAME).replace(/^void /, '').replaceAll('(anonymous namespace)::', '');
  // From the inside out; what stands after a space, as in "Memcpy HtoD (Pinned -> Device)", says something.
  for (let last = ''; last !== text; ) {
    last = text;
    text = text.replace(/(?<! )\([^()]*\)/g, '');
  }
  text = text.replaceAll('at::native::', '').replaceAll('at::cuda::', '').replaceAll('std::', '');
  return text.length > LONGEST_SHORT_NAME ? text.slice(0, LONGEST_SHORT_NAME) : text;
}

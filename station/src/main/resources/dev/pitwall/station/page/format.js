// @ts-check
// Numbers as people read them.

/** @param {number} nanos @param {number} [digits] significant digits */
export function duration(nanos, digits = 3) {
  if (nanos === 0) return '0';
  const magnitude = Math.abs(nanos);
  if (magnitude < 1e3) return `${plain(nanos, digits)} ns`;
  if (magnitude < 1e6) return `${plain(nanos / 1e3, digits)} µs`;
  if (magnitude < 1e9) return `${plain(nanos / 1e6, digits)} ms`;
  return `${plain(nanos / 1e9, digits)} s`;
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
  return `${plain(value)} ${units[unit]}`;
}

/** @param {number} fraction */
export function percent(fraction) {
  return `${plain(fraction * 100, 2)} %`;
}

/**
 * A recorder's name, short enough for a bar: no return type, namespaces, or argument list.
 * @param {string} name
 */
export function shortName(name) {
  let text = name;
  if (text.startsWith('void ')) text = text.slice(5);
  text = text.replaceAll('(anonymous namespace)::', '');
  const list = text.indexOf('(');
  // "Memcpy HtoD (Pinned -> Device)" keeps what it says.
  if (list > 0 && text[list - 1] !== ' ' && text.endsWith(')')) text = text.slice(0, list);
  text = text.replaceAll('at::native::', '').replaceAll('at::cuda::', '').replaceAll('std::', '');
  const python = /^(?:.*\/)?([^/]+\.py)\((\d+)\): (.*)$/.exec(name);
  if (python) return `${python[3]}  ${python[1]}:${python[2]}`;
  return text.length > 120 ? text.slice(0, 120) : text;
}

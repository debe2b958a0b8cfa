// @ts-check
// Colours of marks, from the Okabe-Ito set that colour-blind readers can tell apart. The order is
// MarkKind's. Waiting has a texture too, so that colour is never the only sign.

/** @typedef {{ name: string, light: string, dark: string }} Paint */

/** @type {Paint[]} */
export const PAINTS = [
  { name: 'operator', light: '#8fa3bf', dark: '#566f8f' },
  { name: 'annotation', light: '#e2dcc0', dark: '#4d4a37' },
  { name: 'Python', light: '#c3bdd1', dark: '#5d5871' },
  { name: 'API call', light: '#e8a723', dark: '#d08f0a' },
  { name: 'waiting', light: '#9aa1a9', dark: '#767e87' },
  { name: 'matmul', light: '#0072b2', dark: '#2388cc' },
  { name: 'attention', light: '#c56a9b', dark: '#cc79a7' },
  { name: 'norm, reduction', light: '#56b4e9', dark: '#6cc0ee' },
  { name: 'elementwise', light: '#009e73', dark: '#14ab80' },
  { name: 'collective', light: '#d55e00', dark: '#e56f16' },
  { name: 'copy', light: '#e3d434', dark: '#e3d745' },
  { name: 'overhead', light: '#7a5c46', dark: '#a98468' },
  { name: 'other', light: '#b0b4b8', dark: '#6f757b' },
];
export const WAIT = 4;

const BUSY_STEPS = 16;

/** @param {string} hex @returns {[number, number, number]} */
function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** @param {[number, number, number]} colour */
function pack([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/**
 * @param {[number, number, number]} over
 * @param {[number, number, number]} under
 * @param {number} share of `over`
 * @returns {[number, number, number]}
 */
function mix(over, under, share) {
  const rest = 1 - share;
  return [
    Math.round(over[0] * share + under[0] * rest),
    Math.round(over[1] * share + under[1] * rest),
    Math.round(over[2] * share + under[2] * rest),
  ];
}

export class Palette {
  /** @param {boolean} dark @param {{ background: string, raised: string, text: string, faint: string, line: string, accent: string }} css */
  constructor(dark, css) {
    this.dark = dark;
    this.css = css;
    const under = rgb(css.background);
    this.background = pack(under);
    this.raised = pack(rgb(css.raised));
    /** Packed colours by `kind * 16 + busy / 16`. */
    this.lut = new Uint32Array(PAINTS.length * BUSY_STEPS);
    /** The right edge of a bar by kind. */
    this.edge = new Uint32Array(PAINTS.length);
    /** The stripes of waiting bars. */
    this.stripe = pack(mix(rgb(PAINTS[WAIT][dark ? 'dark' : 'light']), under, 0.35));
    /** @type {string[]} */
    this.ink = [];
    PAINTS.forEach((paint, kind) => {
      const colour = rgb(paint[dark ? 'dark' : 'light']);
      for (let step = 0; step < BUSY_STEPS; step++) {
        const share = 0.25 + (0.75 * step) / (BUSY_STEPS - 1);
        this.lut[kind * BUSY_STEPS + step] = pack(mix(colour, under, share));
      }
      this.edge[kind] = pack(mix(colour, under, 0.45));
      const luminance = (0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]) / 255;
      this.ink.push(luminance > 0.5 ? '#10151a' : '#ffffff');
    });
  }

  /** @param {number} kind */
  colour(kind) {
    return PAINTS[kind]?.[this.dark ? 'dark' : 'light'] ?? '#888888';
  }

  /** The palette of the page as it is styled now. */
  static current() {
    const style = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const read = (name) => style.getPropertyValue(name).trim();
    return new Palette(read('--scheme') === 'dark', {
      background: read('--canvas'),
      raised: read('--canvas-raised'),
      text: read('--text'),
      faint: read('--text-faint'),
      line: read('--line'),
      accent: read('--accent'),
    });
  }
}

// @ts-check
// The address of a view: what is shown can be sent to a colleague who has the same run open.
import { compare, selectRow, showRun, timeline } from './actions.js';
import { set, state } from './state.js';

const CHOICES = /** @type {const} */ (['pinned', 'hidden', 'toggled', 'folded']);

let timer = 0;

/** Writes the view into the address, a little later. */
export function rememberView() {
  if (timer) return;
  timer = window.setTimeout(() => {
    timer = 0;
    const shown = timeline();
    if (!state.run || !shown) return;
    const link = new URLSearchParams();
    link.set('run', state.run.id);
    link.set('from', `${Math.round(shown.view.start)}`);
    link.set('to', `${Math.round(shown.view.end)}`);
    if (state.compared) link.set('compare', state.compared.id);
    if (state.slice) link.set('slice', `${state.sliceSection}:${state.slice.rank}:${state.slice.row}`);
    if (state.finding >= 0) link.set('finding', `${state.finding}`);
    for (const name of CHOICES) {
      if (shown.choice[name].size > 0) link.set(name, [...shown.choice[name]].join(','));
    }
    history.replaceState(null, '', `${location.pathname}#${link}`);
  }, 250);
}

/** Opens what the address names; the first open run where it names none. */
export async function followLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (location.search) history.replaceState(null, '', `${location.pathname}${location.hash}`);
  const named = state.runs.find((open) => open.id === link.get('run'));
  const id = named?.id ?? state.runs[0]?.id;
  if (!id) return;
  const from = Number(link.get('from'));
  const to = Number(link.get('to'));
  const view = named && to > from ? { start: from, end: to } : undefined;
  /** @param {string} name */
  const keys = (name) => new Set((link.get(name) ?? '').split(',').filter((key) => key !== ''));
  const choice = { pinned: keys('pinned'), hidden: keys('hidden'), toggled: keys('toggled'), folded: keys('folded') };
  await showRun(id, view, view && choice);
  if (named && link.get('compare')) await compare(link.get('compare') ?? '');
  const slice = /^(\d+):(\d+):(\d+)$/.exec(link.get('slice') ?? '');
  if (named && slice) {
    await selectRow(Number(slice[2]), Number(slice[3]), Number(slice[1]), view === undefined);
  }
  if (named && link.get('finding')) set({ finding: Number(link.get('finding')) });
  if (!named && state.runs.length === 2) await compare(state.runs[1].id);
}


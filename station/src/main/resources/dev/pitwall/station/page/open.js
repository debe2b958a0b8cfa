// @ts-check
import { h } from './vendor/preact.js';
import { openFiles, openRecent } from './actions.js';
import { state } from './state.js';

/** What is shown while no run is open. */
export function OpenScreen() {
  return h(
    'main', { class: 'open-screen' },
    h('h1', null, 'Where does the step go?'),
    h('label', { class: 'drop' },
      h('input', { type: 'file', class: 'hidden-input', onChange: (/** @type {any} */ event) => openFiles(event.target.files) }),
      h('strong', null, 'Drop a trace here'),
      h('span', null, 'or choose a file: a torch.profiler trace, .json or .json.gz. It stays on this machine.')),
    state.recent.length > 0
      ? h('section', { class: 'recent' }, h('h2', null, 'Recent'),
          h('ul', null, state.recent.map((recent) =>
            h('li', null, h('button', { onClick: () => openRecent(recent) },
              h('strong', null, recent.name), h('span', null, recent.folder))))))
      : h('p', { class: 'faint' }, 'Or start with one: pitwall serve PATH'),
  );
}

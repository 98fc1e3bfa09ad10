import { dirtyState, pageName, post, saveOf } from './autosave-form.ts'
import { noteLeft } from './left-note.ts'

/**
 * Saves what a merchant typed in the editor and left before the island that saves had started, as
 * on a slow connection. The next page takes the note and finishes the save (autosave.tsx). Does
 * nothing on a page without an editor, or when it was called for this editor before.
 */
export function guardEditor(): void {
  const island = document.querySelector<HTMLElement>('#autosave:not([data-alive])'),
    form = document.querySelector<HTMLFormElement>('form#draft')
  if (!island || !form || 'guarded' in island.dataset) return
  island.dataset['guarded'] = ''
  const state = dirtyState(form)
  // A form that is sent says everything itself.
  form.addEventListener('submit', () => {
    state.isSent = true
  })
  addEventListener('beforeunload', () => {
    if ('alive' in island.dataset || !form.isConnected || state.isSent || !state.isDirty()) return
    state.isSent = true
    const save = saveOf(form, state.now(), `${pageName()}.1`)
    noteLeft(form, save)
    void post(save, true)
  })
}

/**
 * Buttons with `command` and `commandfor` in browsers that do not know these words (Safari before 26.2, Firefox before
 * 144), loaded there alone: the two commands that our pages use. test/house/browsers.test.ts holds that there are no others.
 */
export function watchCommands(): void {
  document.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('[commandfor]')
    const dialog =
      button &&
      (document.getElementById(button.getAttribute('commandfor')!) as HTMLDialogElement | null)
    if (button?.getAttribute('command') === 'close') dialog?.close()
    // What is open already must not be opened again: that throws.
    else if (dialog && !dialog.open) dialog.showModal()
  })
}

/**
 * Makes buttons with `command` and `commandfor` work in browsers that do not know these attributes
 * (Safari before 26.2, Firefox before 144); only these load it. It knows the two commands that our
 * pages use. test/house/browsers.test.ts checks that there are no others.
 */
export function watchCommands(): void {
  document.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('[commandfor]')
    const dialog =
      button &&
      (document.getElementById(button.getAttribute('commandfor')!) as HTMLDialogElement | null)
    if (button?.getAttribute('command') === 'close') dialog?.close()
    // showModal throws when the dialog is open already.
    else if (dialog && !dialog.open) dialog.showModal()
  })
}

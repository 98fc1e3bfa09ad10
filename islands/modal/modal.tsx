/** @jsxImportSource react */
import { useLayoutEffect, useRef, useState } from 'react'
import { type Adopted, closerOf, isPosted, isUnsaved, menuOf, openerOf, usedIn } from './adopted.ts'

/** It gets everything from the dialogs themselves. */
type ModalProps = Record<string, never>

/**
 * Makes the server's dialogs modal. It adopts a `<dialog>` and never draws its content again
 * (decision 060): the browser keeps the focus in it, closes it on Escape, and gives the focus back.
 * Its own are the question before something typed is lost, and the address of the page once the
 * dialog is closed. Dialogs come by the event `modal:open` (islands/page/modals.ts), which may open
 * one from within another.
 */
export function Modal(_: ModalProps) {
  /** The dialog that must not close before the merchant has answered. */
  const [asking, setAsking] = useState<{ dialog: HTMLDialogElement } | null>(null)
  const question = useRef<HTMLDialogElement>(null)

  useLayoutEffect(() => {
    const adopted = new Map<HTMLDialogElement, Adopted>()
    const isSafe = (dialog: HTMLDialogElement): boolean => {
      const known = adopted.get(dialog)
      return !known || !dialog.open || !isUnsaved(dialog, known)
    }

    const open = (event: Event): void => {
      const dialog = event.target as HTMLDialogElement,
        isArrived = (event as CustomEvent<boolean>).detail
      adopted.set(dialog, { isArrived, address: location.href, used: new Set() })
      // It was closed while this script was loading.
      if (isArrived && !dialog.open) return finish(dialog)
      if (dialog.open) return
      // A menu would stay open below the dialog, and its links cannot have the focus afterwards.
      const menu = menuOf(document.activeElement)
      if (menu) {
        menu.open = false
        menu.querySelector('summary')?.focus()
      }
      dialog.showModal()
    }
    const use = (event: Event): void => {
      const control = usedIn(event),
        dialog = control?.closest('dialog')
      if (control && dialog) adopted.get(dialog)?.used.add(control)
    }
    /** Asks first when something is unsaved. */
    const hold = (event: Event, dialog: HTMLDialogElement): void => {
      if (isSafe(dialog)) return
      event.preventDefault()
      setAsking({ dialog })
    }
    const cancel = (event: Event): void => hold(event, event.target as HTMLDialogElement)
    // Some browsers do not let a page prevent the second `cancel` in a row, but always the key.
    const press = (event: KeyboardEvent): void => {
      const dialog = (event.target as Element).closest('dialog')
      if (event.key === 'Escape' && dialog && !event.defaultPrevented) hold(event, dialog)
    }
    const click = (event: MouseEvent): void => {
      const closer = (event.target as Element).closest('a[data-close]'),
        dialog = closer?.closest('dialog')
      if (!dialog || !adopted.has(dialog) || event.ctrlKey || event.metaKey || event.shiftKey)
        return
      event.preventDefault()
      hold(event, dialog)
      if (isSafe(dialog)) dialog.close()
    }
    const finish = (dialog: HTMLDialogElement): void => {
      const known = adopted.get(dialog)
      if (!known) return
      adopted.delete(dialog)
      const closed = closerOf(dialog)?.href
      if (known.isArrived && closed) {
        // Below the dialog is the answer to a form. Only a new page shows what is stored.
        if (isPosted()) return location.assign(closed)
        // Otherwise loading the page again would open the dialog again.
        history.replaceState(history.state, '', closed)
        openerOf(dialog, known.address)?.focus()
      }
      for (const form of dialog.querySelectorAll('form')) form.reset()
    }
    // The event comes later than the closing: the dialog may be open again by then.
    const close = (event: Event): void => {
      const dialog = event.target as HTMLDialogElement
      if (!dialog.open) finish(dialog)
    }

    document.addEventListener('modal:open', open)
    document.addEventListener('input', use)
    document.addEventListener('change', use)
    document.addEventListener('keydown', press)
    document.addEventListener('click', click)
    // These two do not bubble.
    document.addEventListener('cancel', cancel, true)
    document.addEventListener('close', close, true)
    return () => {
      document.removeEventListener('modal:open', open)
      document.removeEventListener('input', use)
      document.removeEventListener('change', use)
      document.removeEventListener('keydown', press)
      document.removeEventListener('click', click)
      document.removeEventListener('cancel', cancel, true)
      document.removeEventListener('close', close, true)
    }
  }, [])
  useLayoutEffect(() => {
    if (asking && !question.current!.open) question.current!.showModal()
  }, [asking])

  if (!asking) return null
  const answer = (isClosing: boolean) => () => {
    question.current?.close()
    if (isClosing) asking.dialog.close()
  }
  return (
    <dialog
      ref={question}
      role="alertdialog"
      aria-labelledby="unsaved-title"
      aria-describedby="unsaved-text"
      // As above: the question may have been asked again.
      onClose={({ currentTarget }) => currentTarget.open || setAsking(null)}
    >
      <div className="modal">
        <h2 id="unsaved-title">Close anyway?</h2>
        <p className="muted" id="unsaved-text">
          You typed something that is not saved.
        </p>
        <footer>
          <button className="secondary" type="button" onClick={answer(false)}>
            Keep editing
          </button>
          <button className="danger" type="button" onClick={answer(true)}>
            Close without saving
          </button>
        </footer>
      </div>
    </dialog>
  )
}

/** What a person does first on a page, with any device. */
const signs = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focusin']
const firstSign = new Promise<void>(resolve => {
  for (const sign of signs)
    addEventListener(sign, () => resolve(), { once: true, passive: true, capture: true })
  // Somebody may have been there before this script.
  if (
    document.querySelector('[data-later]:is(:hover, :focus-within)') ||
    isMoved('[data-later] input')
  )
    resolve()
})

/**
 * Starts the islands with `data-later` at the first sign of a person: the server has drawn all that
 * there is to see of them, and its forms work (decision 065). A parameter boots the islands, so
 * that the script that every page loads stays one file. Rejects when it does.
 */
export async function wakeLater(boot: () => Promise<void>): Promise<void> {
  await firstSign
  const waiting = document.querySelectorAll<HTMLElement>('[data-later]')
  if (waiting.length === 0) return
  for (const island of waiting) delete island.dataset['later']
  // The server names their files, so that they need not wait for each other.
  const { code } = document.querySelector<HTMLScriptElement>('script[data-islands]')!.dataset
  for (const url of code?.split(' ') ?? []) import(url).catch(() => {})
  await boot().catch((error: unknown) => {
    askServer()
    throw error
  })
}

/** A form of an island that only asks for another view asks the server, as without scripts. */
function askServer(): void {
  const forms = '[data-island]:not([data-alive]) form:not([method])'
  for (const form of document.querySelectorAll<HTMLFormElement>(forms)) {
    form.onchange = () => form.requestSubmit()
    if (isMoved(`${forms} input`)) form.requestSubmit()
  }
}

/** Whether one of these inputs has another value than the server drew. */
function isMoved(inputs: string): boolean {
  return [...document.querySelectorAll<HTMLInputElement>(inputs)].some(
    ({ value, defaultValue, checked, defaultChecked }) =>
      value !== defaultValue || checked !== defaultChecked,
  )
}

/** What the pointer is pressed on. */
let pressed: Node | null = null

/** Settles when nothing in this part is pressed: were it replaced between press and release, the click would be lost. */
export async function released(part: Node): Promise<void> {
  while (part.contains(pressed)) await new Promise(resolve => setTimeout(resolve, 50))
}

export function watchPress(): void {
  addEventListener(
    'pointerdown',
    ({ target }) => {
      pressed = target as Node
    },
    true,
  )
  // The last: it was let go of outside the window.
  for (const type of ['pointerup', 'pointercancel', 'pointermove'] as const)
    addEventListener(
      type,
      ({ buttons }) => {
        if (!buttons) pressed = null
      },
      true,
    )
}

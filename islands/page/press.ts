/** The node that the pointer is pressed on; null when it is not pressed. */
let pressed: Node | null = null

/**
 * Resolves when nothing in this part is pressed. If the part were replaced between press and
 * release, the click would be lost.
 */
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
  // A `pointermove` without a button: the button was released outside the window.
  for (const type of ['pointerup', 'pointercancel', 'pointermove'] as const)
    addEventListener(
      type,
      ({ buttons }) => {
        if (!buttons) pressed = null
      },
      true,
    )
}

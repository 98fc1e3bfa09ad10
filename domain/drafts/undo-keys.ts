export type Direction = 'undo' | 'redo'
type Keys = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean }

/** Ctrl+Z (Command+Z on a Mac) is undo. With Shift, or Ctrl+Y, it is redo. Null for other keys. */
export function undoKeys({ key, ctrlKey, metaKey, altKey, shiftKey }: Keys): Direction | null {
  if (altKey || ctrlKey === metaKey) return null
  const pressed = key.toLowerCase()
  if (pressed === 'z') return shiftKey ? 'redo' : 'undo'
  return pressed === 'y' && ctrlKey && !shiftKey ? 'redo' : null
}

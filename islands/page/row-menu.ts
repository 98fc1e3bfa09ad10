/**
 * Distance from the button in pixels. The stylesheet has the same, for browsers that place the menu
 * themselves.
 */
const gap = 2

/**
 * Makes a row's menu when its button is first pressed: the menu that all rows share, with the row's
 * id in it. From then on the button opens it like any button with a popover, without asking the
 * server.
 */
export function openRowMenu(button: HTMLButtonElement): void {
  const template = document.querySelector('#row-menu')
  if (!template) return
  if (button.nextElementSibling?.matches('.row-menu')) button.nextElementSibling.remove()
  button.insertAdjacentHTML('afterend', template.innerHTML.replaceAll('__id__', button.value))
  button.type = 'button'
  const menu = button.nextElementSibling as HTMLElement
  menu.id = `acts-${button.value}`
  button.setAttribute('popovertarget', menu.id)
  button.click()
}

/**
 * Places a row's menu beside its button, for browsers without `position-area` (Safari before 26,
 * Firefox before 147).
 */
function placeRowMenus(): void {
  document.addEventListener(
    'beforetoggle',
    ({ target, newState }) => {
      if (newState === 'open' && target instanceof HTMLElement && target.matches('.row-menu'))
        place(target)
    },
    true,
  )
  const again = (): void => {
    const menu = document.querySelector<HTMLElement>('.row-menu:popover-open')
    if (menu) place(menu)
  }
  for (const move of ['scroll', 'resize']) addEventListener(move, again, true)
  // A menu may have been opened while this script was loading.
  again()
}

function place(menu: HTMLElement): void {
  const button = document.querySelector(`[popovertarget="${menu.id}"]`)
  if (!button) return
  const { top, right, bottom } = button.getBoundingClientRect(),
    { clientWidth, clientHeight } = document.documentElement
  // Below or above, where there is more room. The menu's own size is not known before it is shown.
  const isBelow = bottom + top < clientHeight
  menu.style.margin = '0'
  // A long menu in a low window scrolls.
  menu.style.maxHeight = `${(isBelow ? clientHeight - bottom : top) - gap}px`
  menu.style.inset = `${isBelow ? `${bottom + gap}px` : 'auto'} ${clientWidth - right}px ${isBelow ? 'auto' : `${clientHeight - top + gap}px`} auto`
}

if (!CSS.supports('position-area:top')) placeRowMenus()

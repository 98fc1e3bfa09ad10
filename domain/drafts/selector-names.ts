/**
 * Decides which names in a page a selector can use: names that a person chose, because these stay
 * after the next build of the theme. Works on text only, without a DOM.
 */
const longest = 48

/** `#add-to-cart`, not `#r1a`, `#template--16098__main` or a UUID. */
export const isLastingId = (id: string): boolean =>
  isChosen(id) &&
  !/^(ember|ext-|yui|radix|headlessui|react|mui|swiper|slick|select2|gen|uid|auto)[-_:\d]/i.test(id)

/** `.product-form__submit`, not `.css-1q2w3e`, `.mt-4` or `.is-active`. */
export const isLastingClass = (name: string): boolean =>
  isChosen(name) && !isHashed(name) && !isUtility(name) && !isState(name)

/** `[data-add-to-cart]`, `[data-testid=buy]`: attributes that code or tests depend on. */
export const isLastingHook = (attribute: string): boolean =>
  /^data-[a-z]/.test(attribute) &&
  isChosen(attribute) &&
  !/^data-(v|react|reactid|svelte|astro|ssr|server|emotion|styled|src|srcset|sizes|index|id|state|aos|lazy|loaded|animat|bg|style|color|width|height|position|twinshelf)([-\d]|$)/.test(
    attribute,
  )

/** Whether an attribute's value names what the element is, not its number or its state. */
export const isLastingValue = (value: string): boolean =>
  isChosen(value) && !isState(value) && /^[a-z]/i.test(value)

/**
 * Whether a person may have chosen the name: word characters only, no three digits in a row, no
 * eight hexadecimal digits.
 */
const isChosen = (name: string): boolean =>
  name.length > 1 &&
  name.length <= longest &&
  /^[\p{L}_-][\p{L}\p{N}_-]*$/u.test(name) &&
  !/\d{3}/.test(name) &&
  !/(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8}/i.test(name)

const isHashed = (name: string): boolean =>
  /^(css|sc|jsx|jss|svelte|emotion|astro|tw|makeStyles|Mui)-/.test(name) ||
  name.split(/__|--|[-_]/).some(isRandom)
/** Whether upper case, lower case and digits are mixed at random: "3xK2a", "bdVaJa", "e1f8z". */
const isRandom = (part: string): boolean =>
  part.length >= 5 &&
  (/\d[a-z]+\d/i.test(part) ||
    /[a-z][A-Z][a-z][A-Z]/.test(part) ||
    (/\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)))

const utilities =
  /^-?(m|p|mx|my|mt|mr|mb|ml|ms|me|px|py|pt|pr|pb|pl|w|h|min-w|min-h|max-w|max-h|gap|space|grid|col|row|flex|order|text|font|leading|tracking|bg|border|rounded|shadow|opacity|z|top|right|bottom|left|inset|translate|scale|rotate|transition|duration|ease|overflow|object|items|justify|content|self|place|align|float|display|d|u|is|ring|fill|stroke|cursor|select|sr|page-width|one|two|three|four|small|medium|large|xs|sm|md|lg|xl)(-|$)/
const plainUtilities = new Set([
  'flex',
  'grid',
  'block',
  'inline',
  'hidden',
  'relative',
  'absolute',
  'fixed',
  'container',
  'wrapper',
  'clearfix',
  'center',
  'bold',
  'italic',
  'uppercase',
  'truncate',
  'full',
  'half',
  'visually-hidden',
  'no-js',
  'js',
])
const isUtility = (name: string): boolean =>
  name.length < 3 || plainUtilities.has(name) || utilities.test(name)

const states =
  /(^|[-_])(active|inactive|open|opened|closed|selected|current|hover|hovered|focus|focused|visible|shown|hidden|disabled|enabled|loading|loaded|lazyload|lazyloaded|lazyloading|expanded|collapsed|checked|pressed|sticky|stuck|animated|animate|first|last|odd|even)$/
const isState = (name: string): boolean =>
  states.test(name) || /^(is|has|was|js-has|no)-/.test(name)

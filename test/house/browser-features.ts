import type { Since } from '../../scripts/build/browser-floor.ts'

export type Feature = Since & {
  /** Finds the feature in the text of a script or stylesheet. */
  pattern: RegExp
  /** Why the feature may still be used: the page is as usable without it. */
  harmless?: string
}
const feature = (
  pattern: RegExp,
  chrome: number | null,
  firefox: number | null,
  safari: number | null,
  harmless?: string,
): Feature => ({ pattern, chrome, firefox, safari, ...(harmless && { harmless }) })

/**
 * The browser versions that first have each feature of scripts. Source: MDN's browser-compat-data.
 */
export const scriptFeatures: Feature[] = [
  feature(/\.(at|findLast|findLastIndex)\(/, 97, 104, 15.4),
  feature(/\.replaceAll\(/, 85, 77, 13.1),
  feature(/\.(toSorted|toReversed|toSpliced|with)\(/, 110, 115, 16),
  feature(/\.replaceChildren\(/, 86, 78, 14),
  feature(/\bObject\.hasOwn\(/, 93, 92, 15.4),
  feature(/\b(Object|Map)\.groupBy\(/, 117, 119, 17.4),
  feature(/\bPromise\.withResolvers\(/, 119, 121, 17.4),
  feature(/\bPromise\.try\(/, 128, 134, 18.2),
  feature(/\bPromise\.any\(/, 85, 79, 14),
  feature(/\bArray\.fromAsync\(/, 121, 115, 16.4),
  feature(
    /\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(|\.(union|intersection|difference)\(/,
    122,
    127,
    17,
  ),
  feature(
    /\.(values|keys|entries)\(\)\s*\.(map|filter|take|drop|flatMap|reduce|toArray|forEach|some|every|find)\(/,
    122,
    131,
    18.4,
  ),
  feature(/\bIterator\.from\(/, 122, 131, 18.4),
  feature(/\bURL\.parse\(/, 126, 126, 18),
  feature(/\bURL\.canParse\(/, 120, 115, 17),
  feature(/\bRegExp\.escape\(/, 136, 134, 18.2),
  feature(/\bstructuredClone\(/, 98, 94, 15.4),
  feature(/\bAbortSignal\.timeout\(/, 103, 100, 16),
  feature(/\bAbortSignal\.any\(/, 116, 124, 17.4),
  feature(/\bIntl\.DurationFormat\b/, 129, 136, 16.4),
  feature(/\.(toBase64|toHex|setFromBase64)\(|\bUint8Array\.from(Base64|Hex)\(/, 140, 133, 18.2),
  feature(/\brequestIdleCallback\b/, 47, 55, null),
  feature(/\bscheduler\.(yield|postTask)\(/, 129, 142, null),
  feature(/\bcookieStore\b/, 87, 140, 18.4),
  feature(/\.checkVisibility\(/, 105, 106, 17.4),
  feature(/\.startViewTransition\b/, 111, 144, 18),
  feature(/\bnavigation\.(navigate|currentEntry|addEventListener)\b/, 102, 147, 26.2),
  feature(/\.moveBefore\(/, 133, 144, null),
  feature(/\.setHTMLUnsafe\(/, 124, 123, 17.4),
  feature(/\.setHTML\(/, 146, 148, null),
  feature(/\.(showPopover|hidePopover|togglePopover)\(/, 114, 125, 17),
  feature(/\.requestClose\(/, 134, 139, 18.4),
  feature(/\bURLPattern\b/, 95, 142, 26),
  feature(/\(\?<[=!]/, 62, 78, 16.4),
  feature(/\.caretPositionFromPoint\(/, 128, 20, 18.4),
]

/** Features of elements and attributes in views and islands. */
export const markupFeatures: Feature[] = [
  feature(/\s(command|commandfor)=/, 135, 144, 26.2),
  feature(/\sinterestfor=/, 142, null, null),
  feature(/\sclosedby=/, 134, 141, null),
  feature(/\spopover(=|\s|\/?>)/, 114, 125, 17),
  feature(/\spopover="hint"/, 133, null, null),
  feature(/<details[^>]* name=/, 120, 130, 17.2, 'several stand open at a time'),
  feature(/<search[ >]/, 118, 118, 17),
  feature(/\sinert(=|\s|\/?>)/, 102, 112, 15.5),
]

export const styleFeatures: Feature[] = [
  feature(/:has\(/, 105, 121, 15.4),
  feature(/light-dark\(/, 123, 120, 17.5),
  feature(/color-mix\(/, 111, 113, 16.2),
  feature(/\b(rgb|hsl|oklch|oklab|color)\(from /, 119, 128, 16.4),
  feature(/@starting-style/, 117, 129, 17.5),
  feature(/@property/, 85, 128, 16.4),
  feature(/@scope/, 118, 146, 17.4),
  feature(/@container style\(/, 111, null, 18),
  feature(/@container/, 105, 110, 16),
  feature(
    /position-area|position-try|anchor-name|anchor\(/,
    129,
    147,
    26,
    'within @supports; islands/page/row-menu.ts does it',
  ),
  feature(/field-sizing/, 123, null, 26.2, 'fields keep the rows they begin with'),
  feature(/content-visibility/, 85, 125, 18, 'what is out of sight is laid out as well'),
  feature(/interpolate-size|calc-size\(/, 129, null, null),
  feature(/::details-content/, 131, 143, 18.4, 'a folded part stays folded on paper'),
  feature(/text-wrap:\s*balance/, 114, 121, 17.5),
  feature(/text-wrap:\s*pretty/, 117, null, 26, 'lines break where they would'),
  feature(/scrollbar-(color|width)/, 121, 64, 18.2, 'scroll bars look as usual'),
  // Safari's unprefixed text-decoration takes only a line. The build cannot add the prefix when the
  // value is a variable, and then Safari draws no line.
  feature(/[;{]text-decoration:(?!var\()[^;}]*var\(/, 57, 36, null),
  feature(/text-box(-trim)?:/, 133, null, 18.2),
  feature(/corner-shape/, 139, null, null),
  feature(/\bif\(|sibling-index\(/, 137, null, null),
  feature(/animation-timeline|view-timeline|scroll-timeline/, 115, null, 26),
  feature(/appearance:\s*base-select|::picker\(/, 135, null, null),
  feature(/scripting:\s*none/, 120, 113, 17),
]

import type { Selector, SelectorComponent, Visitor } from 'lightningcss'

/** What Pico styles and no page of ours has, or ours styles whole: where one of these stands in a selector, that is left out. */
const unused = {
  elements: ['article', 'mark'],
  classes: ['close', 'contrast', 'grid', 'outline', 'secondary'],
  attributes: {
    'aria-hidden': ['false'],
    'aria-invalid': ['false'],
    role: ['group', 'search'],
  } as Record<string, string[]>,
}

/**
 * Leaves out of Pico, which is half of the common stylesheet, what our own sheets take the place of: the values on the
 * root that tokens.css sets as well, and rules for what there is not.
 */
export function withoutUnusedPico(tokens: ReadonlySet<string>): Visitor<Record<never, never>> {
  let isPico = false,
    isRootRule = false
  return {
    Rule: {
      'layer-block'(rule) {
        isPico = rule.value.name?.[0] === 'pico'
      },
      style(rule) {
        isRootRule = rule.value.selectors.every(isRoot)
      },
    },
    RuleExit: {
      'layer-block'() {
        isPico = false
      },
    },
    Selector: selector => (isPico && isUnused(selector) ? [] : selector),
    Declaration: {
      custom: declaration =>
        isPico && isRootRule && tokens.has(declaration.name) ? [] : undefined,
    },
  }
}

/** `:root`, also in one of the schemes; Pico names others beside it that we do not have. */
const isRoot = ([first, ...others]: Selector): boolean =>
  ((first?.type === 'pseudo-class' && (first.kind === 'root' || first.kind === 'host')) ||
    (first?.type === 'attribute' && first.name === 'data-theme')) &&
  !others.some(({ type }) => type === 'combinator')

function isUnused(selector: Selector): boolean {
  // The sign of what is under way; ours is another.
  const [first] = selector
  if (first?.type === 'attribute' && first.name === 'aria-busy') return true
  return selector
    .flatMap(partsOf)
    .some(
      part =>
        (part.type === 'type' && unused.elements.includes(part.name)) ||
        (part.type === 'class' && unused.classes.includes(part.name)) ||
        (part.type === 'attribute' &&
          part.operation?.operator === 'equal' &&
          unused.attributes[part.name]?.includes(part.operation.value)) ||
        (part.type === 'pseudo-element' && 'name' in part && /^-?(ms-|moz-list)/.test(part.name)),
    )
}

/** Itself; of the only alternative there is what that asks for. */
const partsOf = (part: SelectorComponent): SelectorComponent[] =>
  part.type === 'pseudo-class' &&
  (part.kind === 'is' || part.kind === 'where') &&
  part.selectors.length === 1
    ? part.selectors[0]!.flatMap(partsOf)
    : [part]

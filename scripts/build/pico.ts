import type { Selector, SelectorComponent, Visitor } from 'lightningcss'

/**
 * Elements, classes and attribute values that Pico styles but that our pages do not have, or that
 * we style completely ourselves. Selectors with one of these are removed.
 */
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
 * A visitor that removes the parts of Pico that our own sheets replace: variables on the root that
 * tokens.css sets too, and rules for things we do not have. Pico is half of the common stylesheet.
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

/**
 * Whether a selector is `:root`, also in one of the colour schemes. Pico lists other selectors
 * beside it that we do not use.
 */
const isRoot = ([first, ...others]: Selector): boolean =>
  ((first?.type === 'pseudo-class' && (first.kind === 'root' || first.kind === 'host')) ||
    (first?.type === 'attribute' && first.name === 'data-theme')) &&
  !others.some(({ type }) => type === 'combinator')

function isUnused(selector: Selector): boolean {
  // Pico's loading indicator; we have our own.
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

/**
 * The parts of a component: itself, or the parts of the only alternative in `:is()` or `:where()`.
 */
const partsOf = (part: SelectorComponent): SelectorComponent[] =>
  part.type === 'pseudo-class' &&
  (part.kind === 'is' || part.kind === 'where') &&
  part.selectors.length === 1
    ? part.selectors[0]!.flatMap(partsOf)
    : [part]

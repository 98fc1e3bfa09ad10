import type { ComponentChildren } from 'preact'
import type { BrandStyle, FontEntry, Pattern } from '../../domain/brand/brand-style.ts'
import {
  colourFields,
  colourNames,
  fontRoleNames,
  fontRoles,
  patternNames,
} from '../../domain/brand/brand-style-form.ts'
import {
  fontWords,
  FontSample,
  kindWords,
  patternWords,
  PatternSample,
  shapeWords,
  sizeWords,
  Swatch,
} from './brand-sample.tsx'

type PatternsProps = {
  style: BrandStyle
  /** The controls for a pattern, by its name. */
  action: (name: string) => ComponentChildren
}

/** Every pattern of a brand style, drawn and in words. */
export const Patterns = ({ style, action }: PatternsProps) => {
  const names = patternNames(style.patterns)
  return style.patterns.length === 0 ? (
    <p class="card card-body muted">
      We found no sections on the pages that we read, so there are no patterns.
    </p>
  ) : (
    <div class="brand-grid">
      {style.patterns.map((pattern, at) => (
        <PatternCard
          key={names[at]}
          name={names[at]!}
          style={style}
          pattern={pattern}
          action={action(names[at]!)}
        />
      ))}
    </div>
  )
}

function PatternCard({
  name,
  style,
  pattern,
  action,
}: {
  name: string
  style: BrandStyle
  pattern: Pattern
  action: ComponentChildren
}) {
  const { shape, buttonStyle, buttonSize, colours } = pattern
  return (
    <article class="card" aria-labelledby={`pattern-${name}`}>
      <div class="card-head">
        <h3 id={`pattern-${name}`}>{patternWords(name)}</h3>
        <div class="row">{action}</div>
      </div>
      <div class="card-body stack">
        <p class="note">{kindWords[pattern.kind]}</p>
        <PatternSample fonts={style} pattern={pattern} />
        <dl class="facts">
          <div>
            <dt>Shape</dt>
            <dd>{shapeWords[shape]}</dd>
          </div>
          <div>
            <dt>Button</dt>
            <dd>
              {buttonStyle}, {sizeWords[buttonSize].toLowerCase()}
            </dd>
          </div>
        </dl>
        <ul class="swatches" aria-label="Colours">
          {colourNames.map(
            colour =>
              colours[colour] && (
                <li key={colour}>
                  <Swatch colour={colours[colour]} />
                  <span>{colourFields[colour].label}</span>
                  <code>{colours[colour]}</code>
                </li>
              ),
          )}
        </ul>
      </div>
    </article>
  )
}

/** The four fonts of a brand style. */
export const FontsTable = ({ style }: { style: BrandStyle }) => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">For</th>
          <th scope="col">Font</th>
          <th scope="col" class="num">
            Weight
          </th>
          <th scope="col">Style</th>
          <th scope="col">Sample, where this device has it</th>
        </tr>
      </thead>
      <tbody>
        {fontRoleNames.map(role => (
          <tr key={role}>
            <th scope="row">{fontRoles[role]}</th>
            <td>{style[role].family}</td>
            <td class="num">{style[role].weight}</td>
            <td>{style[role].style}</td>
            <td>
              <FontSample font={style[role]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Families among the fonts of a shop, with the weights and styles of each. */
export function familiesOf(fonts: readonly FontEntry[]) {
  const families = new Map<string, FontEntry[]>()
  for (const font of fonts) families.set(font.family, [...(families.get(font.family) ?? []), font])
  return [...families].map(([family, entries]) => ({
    family,
    source: entries[0]!.source,
    stylesheet: entries[0]!.stylesheet,
    weights: entries.map(entry => fontWords(entry).slice(family.length + 2)).join(', '),
  }))
}

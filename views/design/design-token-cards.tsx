import type { DesignGroup } from './design.tsx'
import { tokens, type Token } from './design-tokens.ts'
import { Logo } from '../icons.tsx'

// Colours and lengths are in SVG attributes, which can use tokens as well: the content security
// policy forbids inline styles.
const varOf = (name: string) => `var(${name})`

const Swatches = () => (
  <ul class="design-swatches">
    {tokens.colour.map(([name, value, use]) => (
      <li key={name}>
        <svg aria-hidden="true">
          <rect width="100%" height="100%" rx="6" fill={varOf(name)} />
        </svg>
        <code>{name}</code>
        <span class="note">{use}</span>
        <span class="note design-value">{value}</span>
      </li>
    ))}
  </ul>
)

/** A table of tokens, each drawn in its first cell. */
const TokenTable = ({
  label,
  list,
  draw,
}: {
  label: string
  list: readonly Token[]
  draw: (name: string) => preact.ComponentChildren
}) => (
  <table class="table design-tokens">
    <caption class="visually-hidden">{label}</caption>
    <thead>
      <tr>
        <th scope="col">Token</th>
        <th scope="col">Value</th>
        <th scope="col">For</th>
        <th scope="col">
          <span class="visually-hidden">Drawn</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {list.map(([name, value, use]) => (
        <tr key={name}>
          <th scope="row">
            <code>{name}</code>
          </th>
          <td class="design-value">{value}</td>
          <td>{use}</td>
          <td>{draw(name)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Text = ({
  children,
  ...attributes
}: {
  children: string
  'font-size'?: string
  'font-weight'?: string
  'font-family'?: string
}) => (
  <svg class="design-text" aria-hidden="true">
    <text y="28" fill="var(--ink)" {...attributes}>
      {children}
    </text>
  </svg>
)

export const tokenGroups: DesignGroup[] = [
  {
    id: 'colour',
    title: 'Colour',
    note: 'Light and dark in one line each, by light-dark(). Meaning stands only ever beside a word or a shape.',
    specimens: [{ caption: 'Warm paper by day, slate by night', view: <Swatches /> }],
  },
  {
    id: 'type',
    title: 'Logo and type',
    note: 'System fonts, 14 px base, figures of equal width.',
    specimens: [
      {
        caption: 'Logo',
        view: (
          <span class="logo">
            <Logo />
            Twinshelf
          </span>
        ),
      },
      {
        caption: 'Sizes',
        view: (
          <TokenTable
            label="Sizes"
            list={tokens.size}
            draw={name => <Text font-size={varOf(name)}>1,218 visitors</Text>}
          />
        ),
      },
      {
        caption: 'Weights',
        view: (
          <TokenTable
            label="Weights"
            list={tokens.weight}
            draw={name => <Text font-weight={varOf(name)}>Launch test</Text>}
          />
        ),
      },
      {
        caption: 'Families',
        view: (
          <TokenTable
            label="Families"
            list={tokens.font}
            draw={name => <Text font-family={varOf(name)}>/products/*</Text>}
          />
        ),
      },
      {
        caption: 'Headings and text',
        view: (
          <div class="stack">
            <h1>Page title</h1>
            <h2>Card title</h2>
            <h3>Part of a card</h3>
            <p>
              Text in tables, labels and buttons, with a <a href="/">link</a> and <code>code</code>.
            </p>
            <p class="note">Second line, help, table heads</p>
            <p class="figures">Figures are tabular: 1,218 · 29,104 · $80,491.31</p>
          </div>
        ),
      },
    ],
  },
  {
    id: 'measures',
    title: 'Space, radii, depth',
    note: 'Space in steps of 4 px. A hairline and almost no shadow; only what floats casts one.',
    specimens: [
      {
        caption: 'Space',
        view: (
          <TokenTable
            label="Space"
            list={tokens.space}
            draw={name => (
              <svg class="design-bar" aria-hidden="true">
                <rect width={varOf(name)} height="12" fill="var(--accent)" />
              </svg>
            )}
          />
        ),
      },
      {
        caption: 'Radii',
        view: (
          <TokenTable
            label="Radii"
            list={tokens.radius}
            draw={name => (
              <svg class="design-bar" aria-hidden="true">
                <rect
                  x="1"
                  y="1"
                  width="56"
                  height="30"
                  rx={varOf(name)}
                  fill="var(--accent-soft)"
                  stroke="var(--accent)"
                />
              </svg>
            )}
          />
        ),
      },
      {
        caption: 'Lengths',
        view: (
          <TokenTable
            label="Lengths"
            list={tokens.length}
            draw={name => (
              <svg class="design-bar" aria-hidden="true">
                <rect width={varOf(name)} height="12" fill="var(--control)" />
              </svg>
            )}
          />
        ),
      },
      {
        caption: 'Shadows',
        view: (
          <TokenTable
            label="Shadows"
            list={tokens.shadow}
            draw={name => (
              <span
                class={
                  name === '--shadow-float'
                    ? 'design-float'
                    : name === '--shadow-card'
                      ? 'design-card'
                      : 'design-shade'
                }
              />
            )}
          />
        ),
      },
    ],
  },
]

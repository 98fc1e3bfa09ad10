import { readFileSync } from 'node:fs'
import { Marked } from 'marked'

/** A part of the guide: its heading, and the id that ends its address. */
export type GuidePart = { id: string; title: string }

/**
 * Converts the merchants' guide, docs/merchants.md, for a page: its parts, and the text as HTML.
 */
export function guide(file = 'docs/merchants.md'): { parts: GuidePart[]; html: string } {
  const parts: GuidePart[] = []
  const marked = new Marked({
    renderer: {
      // The page has its own title.
      heading({ tokens, depth, text }) {
        if (depth === 1) return ''
        const id = text
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, '-')
          .replace(/^-|-$/g, '')
        if (depth === 2) parts.push({ id, title: text })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      table(token) {
        const cells = (row: typeof token.header) =>
          row.map(({ tokens }) => this.parser.parseInline(tokens))
        const head = cells(token.header)
          .map(cell => `<th scope="col">${cell}</th>`)
          .join('')
        const rows = token.rows
          .map(
            row =>
              `<tr>${cells(row)
                .map(cell => `<td>${cell}</td>`)
                .join('')}</tr>`,
          )
          .join('\n')
        return `<table class="table"><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>\n`
      },
    },
  })
  return { html: marked.parse(readFileSync(file, 'utf8'), { async: false }), parts }
}

import { load } from 'cheerio'
import type { MarkupElement } from '../domain/safe-html.ts'

type Node = { type: string; name?: string; data?: string; attribs?: Record<string, string>; children?: Node[] }

/** Elements whose content browsers take as plain text in some places and as markup in others. */
const rawText = new Set(['style', 'noscript', 'textarea', 'title', 'xmp', 'noembed', 'noframes', 'iframe', 'plaintext'])
const deepest = 4

/**
 * Every element that some browser could make of a piece of markup, wherever it is put: as a document of its own would
 * hold it, as a table row or a list of options would, in an SVG or a MathML element, where what is text elsewhere is
 * elements, and what stands in places that are text only to some parsers.
 */
export function elementsOf(markup: string, depth = 0): MarkupElement[] {
  // The standard's parser drops what cannot stand in a body; the other keeps it, but knows nothing of SVG.
  const roots = [load(markup, null, false), load(markup, { xml: { xmlMode: false, decodeEntities: true, recognizeSelfClosing: false } }, false), inside('svg', markup), inside('math', markup)].map($ => $.root()[0] as unknown as Node)
  const found: MarkupElement[] = []
  // A stack of one's own: markup may be nested deeper than calls may.
  const open = [...roots]
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.name !== undefined && node.attribs) {
      found.push({ tag: node.name, attributes: node.attribs })
      if (rawText.has(node.name.toLowerCase())) {
        const inner = (node.children ?? []).map(child => child.data ?? '').join('')
        // Nobody needs text within text within text: what is left unread there is taken for the worst.
        if (inner.includes('<')) found.push(...(depth < deepest ? elementsOf(inner, depth + 1) : [{ tag: 'script', attributes: {} }]))
      }
    }
    open.push(...node.children ?? [])
  }
  return found
}

/** As `innerHTML` of such an element reads it: nothing in the markup closes it. */
function inside(name: 'svg' | 'math', markup: string): ReturnType<typeof load> {
  const $ = load(`<${name}></${name}>`, null, false)
  $(name).html(markup)
  return $
}

import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { documentHtml, escapeHtml, type Document } from '../views/document.ts'
import { BareTopbar, Frame, SmallScreenNote, type Section } from '../views/shell.tsx'
import type { ShellData } from './api-session.ts'
import { neverKept, policy, type Origins } from './security.ts'
import { carriedFrom, queryOf, withQuery, type Carried } from './query.ts'
import { shellOf } from './visit.ts'

export type PageOptions = {
  title: string
  section?: Section | null
  /** Side navigation folded to icons, and no padding around the content. */
  rail?: boolean
}
/** What is on the page: a view, or one that is drawn already (`drawn.ts`). */
export type Content = JSX.Element | { html: string }

export type Paper = { origins: Origins; asset: (name: string) => string }
const papers = new WeakMap<object, Paper>()
/** Gives every page of a server what documents are made of. */
export const providePaper = (server: object, paper: Paper): void => { papers.set(server, paper) }

/** Answers with a page of the shell. The status is the reply's own. */
export function page(request: FastifyRequest, reply: FastifyReply, { title, section = 'tests', rail = false }: PageOptions, content: Content): FastifyReply {
  const shell = shellOf(request)
  const carried = carriedFrom(queryOf(request))
  const body = frameHtml(shell, section, rail) + `<main class="content" id="content">${htmlOf(content)}</main>` + smallScreen(paperOf(request).origins.admin)
  return send(request, reply, { title, frame: rail ? 'rail' : 'shell', body: carry(body, carried) })
}

/** Answers with a page outside the shell, for those who are not signed in or whose store cannot be shown. */
export function barePage(request: FastifyRequest, reply: FastifyReply, title: string, content: Content): FastifyReply {
  const body = `${bareTopbar()}<main>${htmlOf(content)}</main>`
  return send(request, reply, { title, frame: 'bare', body: carry(body, carriedFrom(queryOf(request))) })
}

/** Sends the browser on to a page of the app after a change. */
export const seeOther = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply =>
  reply.redirect(withQuery(path, carriedFrom(queryOf(request))), 303)

function send(request: FastifyRequest, reply: FastifyReply, document: Pick<Document, 'title' | 'frame' | 'body'>): FastifyReply {
  const { origins, asset } = paperOf(request)
  const nonce = randomBytes(16).toString('base64')
  return neverKept(reply).type('text/html; charset=utf-8').header('content-security-policy', policy(nonce, origins)).send(documentHtml({ ...document, nonce, asset }))
}

const paperOf = (request: FastifyRequest): Paper => {
  const paper = papers.get(request.server.server)
  if (!paper) throw new Error('This server has been given no paper.')
  return paper
}
const htmlOf = (content: Content): string => ('html' in content ? content.html : renderToString(content))

const frames = new WeakMap<ShellData, Map<string, string>>()
/** The frame changes only with the store's own data, which stays the same object until then. */
function frameHtml(shell: ShellData, section: Section | null, rail: boolean): string {
  let drawn = frames.get(shell)
  if (!drawn) frames.set(shell, drawn = new Map())
  const key = `${section} ${rail}`
  let html = drawn.get(key)
  if (html === undefined) drawn.set(key, html = renderToString(h(Frame, { ...shell, section, rail })))
  return html
}
const smallScreen = once((admin: string) => renderToString(h(SmallScreenNote, { admin: `${admin}/admin/apps/twinshelf` })))
const bareTopbar = once(() => renderToString(h(BareTopbar, {})))

function once<A extends string[]>(make: (...args: A) => string): (...args: A) => string {
  const made = new Map<string, string>()
  return (...args) => {
    const key = args.join()
    let html = made.get(key)
    if (html === undefined) made.set(key, html = make(...args))
    return html
  }
}

/**
 * Lays host, shop and code on every link of the page. Done on the finished text, so that no view has to think of it;
 * quotes are escaped in text and in JSON alike, so only real attributes match.
 */
function carry(html: string, carried: Carried): string {
  if (Object.keys(carried).length === 0) return html
  return html.replace(/ (href|action|hx-get)="(\/(?!\/|built\/)[^"]*)"/g, (_, name: string, path: string) => ` ${name}="${escapeHtml(withQuery(path.replaceAll('&amp;', '&'), carried))}"`)
}

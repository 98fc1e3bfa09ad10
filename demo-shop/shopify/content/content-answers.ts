import type { AssignedType } from '../../../domain/themes/template.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { articles, blogs } from '../../catalogue/blog.ts'
import { pages } from '../../catalogue/pages.ts'
import { connection } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { counted, sorted } from '../api/lists.ts'
import { searchFor } from '../api/search-query.ts'
import { metafieldAnswers } from '../app/metafield-answers.ts'
import type { ListArgs } from '../catalogue/product-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

type Kind = 'Collection' | 'Page' | 'Blog' | 'Article'
type Thing = { id: number; handle: string; title: string }
type Update = { templateSuffix?: string | null } & Record<string, unknown>

const typeOf: Record<Kind, AssignedType> = {
  Collection: 'collection',
  Page: 'page',
  Blog: 'blog',
  Article: 'article',
}
/** What nobody has changed is as old as the shop. */
const madeAt = '2024-03-04T09:00:00.000Z'

/** Collections, pages, blogs and articles: read, searched, and given a template. */
export function contentAnswers(parts: FaceParts, productsOf: (ids: number[]) => object[]) {
  const { catalogue, assignments } = parts.state
  const lists: Record<Kind, () => Thing[]> = {
    Collection: () => catalogue.collections(),
    Page: () => pages,
    Blog: () => blogs,
    Article: () => articles,
  }
  const changedAt = (kind: Kind, { id }: Thing): string =>
    assignments.assignedAt(typeOf[kind], id) ?? madeAt

  const answerOf = (kind: Kind, thing: Thing): object => {
    const id = gid(kind, thing.id)
    return {
      __typename: kind,
      ...metafieldAnswers(parts, id),
      id,
      legacyResourceId: String(thing.id),
      handle: thing.handle,
      title: thing.title,
      templateSuffix: () => assignments.suffixOf(typeOf[kind], thing.id) || null,
      updatedAt: changedAt(kind, thing),
      createdAt: madeAt,
      publishedAt: madeAt,
      isPublished: true,
      ...more[kind](thing),
    }
  }
  const more: Record<Kind, (thing: Thing) => object> = {
    Collection: ({ handle }) => {
      const products = catalogue.collections().find(one => one.handle === handle)?.products ?? []
      const ids = products.map(({ id }) => id)
      return {
        products: (page: ListArgs) =>
          connection(
            ids,
            page,
            id => String(id),
            id => productsOf([id])[0]!,
          ),
        productsCount: { count: ids.length, precision: 'EXACT' },
      }
    },
    Page: ({ id }) => {
      const found = pages.find(page => page.id === id)!
      return { body: found.body, bodySummary: found.summary }
    },
    Blog: ({ id }) => {
      const found = blogs.find(blog => blog.id === id)!
      return {
        tags: [],
        articles: (page: ListArgs) =>
          connection(
            found.articles,
            page,
            one => String(one.id),
            one => answerOf('Article', one),
          ),
      }
    },
    Article: ({ id }) => {
      const found = articles.find(article => article.id === id)!
      const blog = blogs.find(({ handle }) => handle === found.blog)!
      return {
        body: found.body,
        summary: found.summary,
        tags: [],
        author: { name: found.author },
        blog: () => answerOf('Blog', blog),
        publishedAt: found.publishedAt,
      }
    },
  }
  const found = (kind: Kind, query: string | null | undefined): Thing[] =>
    lists[kind]().filter(
      searchFor<Thing>(
        query,
        {
          id: ({ id }) => id,
          title: ({ title }) => title,
          handle: ({ handle }) => handle,
          updated_at: thing => new Date(changedAt(kind, thing)),
        },
        ({ title, handle }) => `${title} ${handle}`,
      ),
    )
  const list =
    (kind: Kind) =>
    ({ query, sortKey = 'ID', ...page }: ListArgs) =>
      connection(
        sorted(
          found(kind, query),
          {
            ID: ({ id }) => id,
            RELEVANCE: ({ id }) => id,
            TITLE: ({ title }) => title.toLowerCase(),
            HANDLE: ({ handle }) => handle,
            UPDATED_AT: thing => changedAt(kind, thing),
          },
          sortKey,
          ({ id }) => id,
        ),
        page,
        ({ id }) => String(id),
        thing => answerOf(kind, thing),
      )
  const one =
    (kind: Kind) =>
    (id: string): object | null => {
      const thing = lists[kind]().find(each => String(each.id) === idIn(kind, id))
      return thing ? answerOf(kind, thing) : null
    }
  const count =
    (kind: Kind) =>
    ({ query, limit }: { query?: string | null; limit?: number | null }) =>
      counted(found(kind, query).length, limit)
  /** Gives a thing a template. Refuses what this stand-in cannot change. */
  const update = (kind: Kind, id: string, change: Update | null | undefined) => {
    const field = kind.toLowerCase()
    const refuse = (at: string, message: string) => ({
      [field]: null,
      userErrors: [{ field: [at], message, code: 'NOT_FOUND' }],
    })
    const thing = lists[kind]().find(each => String(each.id) === idIn(kind, id))
    if (!thing) return refuse('id', `${kind} does not exist`)
    const { templateSuffix, id: _, ...others } = change ?? {}
    // A switch that is off has that as its default.
    const other = Object.keys(others).find(name => others[name] !== false)
    if (other !== undefined)
      throw new HttpProblem(422, `This stand-in changes only templates, not ${other}.`)
    if (templateSuffix !== undefined)
      assignments.assign([
        { type: typeOf[kind], id: String(thing.id), suffix: templateSuffix ?? '' },
      ])
    return { [field]: answerOf(kind, thing), userErrors: [] }
  }

  const answers: Answers = {
    query: {
      collections: list('Collection'),
      collection: ({ id }: { id: string }) => one('Collection')(id),
      collectionsCount: count('Collection'),
      pages: list('Page'),
      page: ({ id }: { id: string }) => one('Page')(id),
      pagesCount: count('Page'),
      blogs: list('Blog'),
      blog: ({ id }: { id: string }) => one('Blog')(id),
      blogsCount: count('Blog'),
      articles: list('Article'),
      article: ({ id }: { id: string }) => one('Article')(id),
    },
    mutation: {
      collectionUpdate: ({
        collection,
        input,
      }: {
        collection?: (Update & { id?: string }) | null
        input?: (Update & { id?: string }) | null
      }) => {
        const given = collection ?? input
        return { job: null, ...update('Collection', given?.id ?? '', given) }
      },
      pageUpdate: ({ id, page }: { id: string; page: Update }) => update('Page', id, page),
      blogUpdate: ({ id, blog }: { id: string; blog: Update }) => update('Blog', id, blog),
      articleUpdate: ({ id, article }: { id: string; article: Update }) =>
        update('Article', id, article),
    },
  }
  return {
    answers,
    nodes: {
      Collection: one('Collection'),
      Page: one('Page'),
      Blog: one('Blog'),
      Article: one('Article'),
    },
  }
}

import * as Type from 'typebox'
import { type Call, closed, Id, IdParam } from '../api/call.ts'
import { Template } from '../themes/template-record.ts'
import { assignedTypes, templateTypes } from '../themes/template.ts'
import { Theme, ThemeCompatibility } from '../themes/theme.ts'

export const Suffix = Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_-]*$' })
/**
 * Ids of some of the products, collections, pages, blogs or articles that are assigned to a
 * template.
 */
export const Granular = Type.Array(IdParam, { minItems: 1, maxItems: 250, uniqueItems: true })

export const templateCalls = {
  templates: {
    method: 'GET',
    path: '/api/v0/templates',
    about: 'Templates of the live theme, of one type or of all.',
    query: Type.Object({ type: Type.Optional(Type.Enum([...templateTypes])) }, closed),
    response: Type.Array(Template),
  },
  templateResources: {
    method: 'GET',
    path: '/api/v0/templates/resources',
    about:
      'Products, collections, pages, blogs or articles of the shop by title or handle, each with the template it is assigned to. With `suffix`, only those assigned to that template.',
    query: Type.Object(
      {
        type: Type.Enum([...assignedTypes]),
        suffix: Type.Optional(Suffix),
        search: Type.Optional(Type.String({ maxLength: 200, default: '' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 250, default: 50 })),
      },
      closed,
    ),
    response: Type.Object({
      count: Type.Integer(),
      items: Type.Array(
        Type.Object({
          id: Type.String(),
          title: Type.String(),
          path: Type.String(),
          suffix: Type.String(),
        }),
      ),
    }),
  },
  duplicateTemplate: {
    method: 'POST',
    forOtherClients: true,
    path: '/api/v0/templates/duplicate',
    about:
      'Copies a template of the live theme under a suffix of ours. With `granular`, the copy is meant for these products, collections, pages, blogs or articles alone; a draft that takes it as its variant takes them over.',
    body: Type.Object(
      { type: Type.Enum([...templateTypes]), suffix: Suffix, granular: Type.Optional(Granular) },
      closed,
    ),
    response: Template,
    errors: {
      404: 'The live theme has no such template.',
      409: 'The store has as many copies as one may have.',
      422: 'The shop refuses the copy, in its own words.',
    },
  },
  themes: {
    method: 'GET',
    path: '/api/v0/themes',
    about: 'The shop’s themes, the live one first.',
    response: Type.Array(Theme),
  },
  themeIsCompatible: {
    method: 'GET',
    path: '/api/v0/themes/:id/is-compatible',
    about:
      'Whether a theme has every template that something in the shop is assigned to. The answer is kept for that version of the theme; `force` looks again.',
    params: Id,
    query: Type.Object({ force: Type.Optional(Type.Boolean({ default: false })) }, closed),
    response: ThemeCompatibility,
  },
} as const satisfies Record<string, Call>

import { GraphQLError } from 'graphql'
import { gid, idIn } from '../api/gid.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

type Settings = Record<string, unknown>

/** The app's web pixel, of which a shop has one. Settings are texts, as the platform wants them. */
export function pixelAnswers({ state }: FaceParts) {
  const { installs } = state.web!
  const current = () => installs.all('pixel')[0]
  const answerOf = ({ id, settings }: { id: number; settings: Settings }) => ({
    __typename: 'WebPixel',
    id: gid('WebPixel', id),
    settings,
  })
  const refuse = (code: string, message: string, field: string[]) => ({
    webPixel: null,
    userErrors: [{ code, message, field }],
  })
  /** Null for what is no object of texts. A text holds JSON. */
  const settingsOf = (given: unknown): Settings | null => {
    if (typeof given !== 'string')
      return typeof given === 'object' &&
        given !== null &&
        Object.values(given).every(value => typeof value === 'string')
        ? (given as Settings)
        : null
    try {
      const parsed: unknown = JSON.parse(given)
      return typeof parsed === 'string' ? null : settingsOf(parsed)
    } catch {
      return null
    }
  }
  const missing = ['webPixel', 'id']
  const answers: Answers = {
    query: {
      webPixel: ({ id }: { id?: string | null }) => {
        const pixel = current()
        if (!pixel || (id != null && idIn('WebPixel', id) !== String(pixel.id)))
          throw new GraphQLError('No web pixel was found for this app.', {
            extensions: { code: 'RESOURCE_NOT_FOUND' },
          })
        return answerOf(pixel)
      },
    },
    mutation: {
      webPixelCreate: ({ webPixel }: { webPixel: { settings: unknown } }) => {
        const settings = settingsOf(webPixel.settings)
        if (!settings)
          return refuse('INVALID_CONFIGURATION_JSON', 'Settings is invalid', ['settings'])
        if (current()) return refuse('TAKEN', 'Web pixel is taken.', ['webPixel'])
        return { webPixel: answerOf(installs.add('pixel', { settings })), userErrors: [] }
      },
      webPixelUpdate: ({ id, webPixel }: { id: string; webPixel: { settings: unknown } }) => {
        const settings = settingsOf(webPixel.settings)
        if (!settings)
          return refuse('INVALID_CONFIGURATION_JSON', 'Settings is invalid', ['settings'])
        const updated = installs.update('pixel', Number(idIn('WebPixel', id)), { settings })
        return updated
          ? { webPixel: answerOf(updated), userErrors: [] }
          : refuse('NOT_FOUND', 'Web pixel was not found', missing)
      },
      webPixelDelete: ({ id }: { id: string }) =>
        installs.remove('pixel', Number(idIn('WebPixel', id)))
          ? { deletedWebPixelId: id, userErrors: [] }
          : {
              deletedWebPixelId: null,
              userErrors: [
                { code: 'NOT_FOUND', message: 'Web pixel was not found', field: missing },
              ],
            },
    },
  }
  return { answers, nodes: {} }
}

import * as Type from 'typebox'
import { type Call } from '../api/call.ts'
import { ChoiceAsks, ChoicePictures, ChoiceQuery } from '../drafts/pictures/choice-picture.ts'

export const choiceCalls = {
  choicePictures: {
    method: 'GET',
    path: '/api/v0/choice-pictures',
    about:
      'Which pictures the store has of the themes, templates and pages that a draft may choose.',
    response: ChoicePictures,
  },
  drawChoicePictures: {
    method: 'POST',
    path: '/api/v0/choice-pictures',
    about:
      'Draws pictures of choices in the background, when they are missing, old or of another version. Answers the present state of the requested pictures.',
    body: ChoiceAsks,
    response: ChoicePictures,
    errors: { 400: 'A name is not that of a theme, template or page; the field is `choices`.' },
  },
  choicePicture: {
    method: 'GET',
    path: '/api/v0/choice-pictures/file',
    about: 'The picture of one choice.',
    query: ChoiceQuery,
    response: Type.String(),
    file: ['image/jpeg'],
  },
} as const satisfies Record<string, Call>

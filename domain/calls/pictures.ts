import { type Call, Id } from '../api/call.ts'
import { Picture, PictureInput, pictureLimits } from '../drafts/pictures/picture.ts'

export const pictureCalls = {
  addPicture: {
    method: 'POST',
    path: '/api/v0/test-drafts/:id/pictures',
    about:
      'Uploads a picture for a draft’s variant: PNG, JPEG, WebP or AVIF, in base64. It is encoded again without metadata and published on the shop’s own asset host.',
    params: Id,
    body: PictureInput,
    response: Picture,
    slow: true,
    bodyLimit: pictureLimits.bytes * 2,
    errors: {
      400: 'The file is no such picture, too large, or over the store’s quota; the field is `file`.',
      404: 'There is no such draft.',
      409: 'The draft was launched or deleted meanwhile.',
    },
  },
} as const satisfies Record<string, Call>

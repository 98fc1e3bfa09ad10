import type { Picture } from '../../domain/drafts/pictures/picture.ts'

type Heard = {
  onProgress: (part: number) => void
  onDone: (picture: Picture) => void
  onFailed: (why: string) => void
}

/** The timeout of one upload. Milliseconds. */
const timeout = 120_000

/**
 * Uploads a file as a form would. It uses XMLHttpRequest, because fetch does not report progress.
 * Returns a function that cancels the upload.
 */
export function sendPicture(
  to: string,
  file: File,
  { onProgress, onDone, onFailed }: Heard,
): () => void {
  const request = new XMLHttpRequest(),
    form = new FormData()
  form.append('file', file)
  request.responseType = 'text'
  request.timeout = timeout
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress(total > 0 ? loaded / total : 0),
  )
  request.addEventListener('load', () => {
    const said = answerOf(request)
    if (request.status === 200 && typeof said?.address === 'string') onDone(said as Picture)
    else
      onFailed(
        said?.message ?? 'The picture was not uploaded. Load the page again and try once more.',
      )
  })
  request.addEventListener('error', () =>
    onFailed(
      navigator.onLine
        ? 'Twinshelf cannot be reached. Try again.'
        : 'You are offline. Try again when you are connected.',
    ),
  )
  request.addEventListener('timeout', () =>
    onFailed('The upload took too long. Try again, or choose a smaller picture.'),
  )
  request.open('POST', to)
  request.setRequestHeader('accept', 'application/json')
  request.send(form)
  return () => request.abort()
}

function answerOf({
  responseText,
}: XMLHttpRequest): (Partial<Picture> & { message?: string }) | null {
  try {
    return JSON.parse(responseText) as Partial<Picture>
  } catch {
    return null
  }
}

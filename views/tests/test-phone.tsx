import type { Test } from '../../domain/tests/ab-test.ts'
import { paths } from '../../domain/paths.ts'
import { Close } from '../modal.tsx'
import { QrCode } from '../qr.tsx'

/** A QR code for each arm, for a phone's camera. */
export const TestPhone = ({
  id,
  previewUrls: [control, variant],
}: Pick<Test, 'id' | 'previewUrls'>) => (
  <dialog id="phone-test" aria-labelledby="phone-title" open>
    <div class="modal">
      <h2 id="phone-title">On your phone</h2>
      <p class="muted">
        Point its camera at the code of an arm. You see that arm whatever the audience and the split
        are, and nothing you do there is counted.
      </p>
      <div class="qr-pair">
        {(
          [
            ['Control', control],
            ['Variant', variant],
          ] as const
        ).map(([title, url]) => (
          <figure key={title}>
            <QrCode url={url} label={`${title} on the shop`} />
            <figcaption>
              <a href={url} target="_blank" rel="noopener">
                {title}
              </a>
            </figcaption>
          </figure>
        ))}
      </div>
      <footer>
        <Close href={paths.report(id)}>Close</Close>
      </footer>
    </div>
  </dialog>
)

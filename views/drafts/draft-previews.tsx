import type { TestDraft } from '../../domain/drafts/draft.ts'
import { formatMoment } from '../../domain/figures.ts'
import type { Job } from '../../domain/jobs/job.ts'
import { paths } from '../../domain/paths.ts'
import {
  type ScreenshotDevice,
  screenshotDeviceNames,
} from '../../domain/drafts/pictures/screenshot.ts'
import { Icon } from '../icons.tsx'
import { QrCode } from '../qr.tsx'

type ArmsProps = {
  draft: TestDraft
  /** Preview links of a tested page, control first. */ previews: [string, string]
}
const arms = [
  { arm: 'control', mark: 'arm-mark arm-mark-control', label: 'Control' },
  { arm: 'variant', mark: 'arm-mark', label: 'Variant' },
] as const

/** The preview links of both arms, each with a QR code for a phone's camera. */
export function DraftPreviews({ draft, previews }: ArmsProps) {
  return (
    <>
      <Head
        draft={draft}
        title="Preview on a phone"
        note="Point a phone’s camera at a code. A bar at the bottom of the shop names the arm. Nothing is counted, and the preview ends when you close the tab."
      />
      <div class="arm-cards">
        {arms.map(({ arm, mark, label }, i) => (
          <section key={arm} class="card card-body stack arm-card" aria-label={label}>
            <h2>
              <span class={mark} />
              {label}: {i === 0 ? draft.controlTitle : draft.variantTitle}
            </h2>
            <QrCode url={previews[i]!} label={`Code that opens the ${arm} on a phone`} />
            <a class="button secondary" href={previews[i]!} target="_blank" rel="noopener">
              <Icon name="eye" />
              Open here
            </a>
          </section>
        ))}
      </div>
    </>
  )
}

const deviceLabels: Record<ScreenshotDevice, string> = { desktop: 'Desktop', phone: 'Phone' }

/** The pictures of both arms, and the button that takes new ones in the background. */
export function DraftPictures({
  draft,
  job,
  refusal,
  timeZone,
}: {
  draft: TestDraft
  job: Pick<Job, 'id' | 'status' | 'message' | 'progress'> | null
  refusal: string | null
  timeZone: string
}) {
  const isRunning = job !== null && job.status !== 'completed' && job.status !== 'errored',
    percent = Math.floor((job?.progress ?? 0) * 100)
  return (
    <>
      <Head
        draft={draft}
        title="Pictures of both arms"
        note="Taken of the shop as a visitor of each arm sees it."
      />
      {/* Fetched every two seconds while pictures are taken. Without scripts: reload. */}
      <div
        id="pictures"
        class="stack"
        {...(isRunning && {
          'hx-get': `${paths.draftPictures(draft.id)}?job=${encodeURIComponent(job.id)}`,
          'hx-trigger': 'every 2s',
          'hx-target': '#pictures',
          'hx-select': '#pictures',
          'hx-swap': 'outerHTML show:none',
        })}
      >
        {refusal && (
          <p class="banner" data-tone="warn" role="alert">
            <Icon name="warning" />
            <span>{refusal}</span>
          </p>
        )}
        {job?.status === 'errored' && (
          <p class="banner" data-tone="bad" role="alert">
            <Icon name="warning" />
            <span>
              <strong>The pictures could not be taken.</strong> {job.message}
            </span>
          </p>
        )}
        {isRunning && (
          <div class="work">
            <div class="row">
              <span role="status">{job.message ?? 'Waiting to begin'}</span>
              <span class="figures">{percent}%</span>
            </div>
            <progress value={percent} max={100} aria-label={`Taking pictures, ${percent}% done`} />
          </div>
        )}
        <form class="row" method="post" action={paths.draftPictures(draft.id)}>
          <button disabled={isRunning}>Take new pictures of both</button>
        </form>
        <div class="arm-cards">
          {arms.map(({ arm, mark, label }) => {
            const hypothesis = draft.hypotheses.find(each => each.arm === arm)
            return (
              <section key={arm} class="card card-body stack arm-card" aria-label={label}>
                <h2>
                  <span class={mark} />
                  {label}
                </h2>
                {hypothesis && hypothesis.screenshots.length > 0 ? (
                  screenshotDeviceNames
                    .flatMap(device =>
                      hypothesis.screenshots.filter(picture => picture.device === device),
                    )
                    .map(({ device, takenAt }) => (
                      <figure key={device} class="arm-picture">
                        <img
                          src={`${paths.draftPictures(draft.id, hypothesis.id, device)}?at=${encodeURIComponent(takenAt)}`}
                          alt={`${label} on a ${deviceLabels[device].toLowerCase()}`}
                          loading="lazy"
                        />
                        <figcaption class="note">
                          {deviceLabels[device]}, {formatMoment(takenAt, timeZone)}
                        </figcaption>
                      </figure>
                    ))
                ) : (
                  <p class="note">No picture yet.</p>
                )}
                {hypothesis && (
                  <form class="row" method="post" action={paths.draftPictures(draft.id)}>
                    <button
                      class="secondary small"
                      name="hypothesis"
                      value={hypothesis.id}
                      disabled={isRunning}
                      aria-label={`Take new pictures of the ${arm}`}
                    >
                      Take new pictures
                    </button>
                  </form>
                )}
              </section>
            )
          })}
        </div>
      </div>
    </>
  )
}

const Head = ({ draft, title, note }: { draft: TestDraft; title: string; note: string }) => (
  <div class="page-head">
    <a class="back-link" href={paths.draft(draft.id)}>
      ← {draft.title.trim() || 'New draft'}
    </a>
    <h1>{title}</h1>
    <p class="note page-facts">{note}</p>
  </div>
)

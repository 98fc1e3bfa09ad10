import { paths } from '../../domain/paths.ts'
import type { LastUninstall } from '../../domain/stores/store-uninstall.ts'
import type { StoreInfo } from '../../domain/stores/store.ts'
import type { UninstallProgressProps } from '../../islands/stores/uninstall-progress.tsx'
import type { Entrance } from '../guest.tsx'
import { Island } from '../island.tsx'
import { Notice } from '../notice.tsx'
import { Remains } from './uninstall-remains.tsx'

/** The page while the uninstall runs. With scripts off it reloads itself. */
export const Uninstalling = ({
  store,
  isOver,
  ...props
}: UninstallProgressProps & { store: StoreInfo; isOver: boolean }) => (
  <>
    {!isOver && (
      <noscript>
        <meta http-equiv="refresh" content="2" />
      </noscript>
    )}
    <section class="card leaving" aria-labelledby="uninstalling" data-live-job={props.job.id}>
      <div class="card-head">
        <h1 id="uninstalling">
          {isOver
            ? 'Twinshelf could not be uninstalled'
            : `Uninstalling Twinshelf from ${store.name}`}
        </h1>
      </div>
      <Island id="uninstall-progress" name="uninstall-progress" props={props} />
    </section>
  </>
)

type UninstalledProps = {
  /** The shop's name; null when the address has no valid one. */
  store: string | null
  entrances: readonly Entrance[]
  /** The last uninstall, if the session of this browser may know about it. */
  last: LastUninstall | null
}

/** The page after an uninstall: it is done, and what stayed in the shop. */
export const Uninstalled = ({ store, entrances, last }: UninstalledProps) => (
  <>
    <div class="leaving">
      <Notice
        title="Twinshelf is uninstalled"
        actions={
          <>
            {entrances.map(({ admin, label }) => (
              <a key={admin} class="button secondary" href={admin} target="_top">
                Return to your shop’s admin
                {entrances.length > 1 && ` (${label})`}
              </a>
            ))}
          </>
        }
      >
        {store ? `It no longer runs on ${store}.` : 'It no longer runs on your shop.'} To use it
        again, install it from your shop’s admin.
      </Notice>
    </div>
    {last && (
      <section class="card leaving" aria-labelledby="remains">
        <div class="card-head">
          <h2 id="remains">What stayed in your shop</h2>
        </div>
        <div class="card-body stack">
          <Remains last={last} />
        </div>
      </section>
    )}
  </>
)

/** Shown there to a merchant whose store has the app installed. */
export const Installed = ({ store }: { store: StoreInfo }) => (
  <Notice
    title="Twinshelf is installed"
    actions={
      <a class="button" href={paths.home()}>
        Back to tests
      </a>
    }
  >
    It runs on {store.name}.
  </Notice>
)

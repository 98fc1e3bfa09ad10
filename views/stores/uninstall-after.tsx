import { paths } from '../../domain/paths.ts'
import type { LastUninstall } from '../../domain/stores/store-uninstall.ts'
import type { StoreInfo } from '../../domain/stores/store.ts'
import type { UninstallProgressProps } from '../../islands/stores/uninstall-progress.tsx'
import { Island } from '../island.tsx'
import { Notice } from '../notice.tsx'
import { Remains } from './uninstall-remains.tsx'

/** While it is done. With scripts off the page asks again by itself. */
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
  /** Shop's name; null when it is not told, or told by a query that could be anybody's. */
  store: string | null
  admin: string
  /** What this browser's own session may know of it. */
  last: LastUninstall | null
}

/** For whoever comes after: it is done, and what it left. */
export const Uninstalled = ({ store, admin, last }: UninstalledProps) => (
  <>
    <div class="leaving">
      <Notice
        title="Twinshelf is uninstalled"
        actions={
          <a class="button secondary" href={admin} target="_top">
            Return to your shop’s admin
          </a>
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

/** To a store's own merchant, who came to that page while it is not so. */
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

import type { LastUninstall } from '../../domain/stores/store-uninstall.ts'

/** What an uninstall left in the shop. */
export function Remains({ last: { by, kept, ended } }: { last: LastUninstall }) {
  return (
    <>
      {kept.length === 0 ? (
        <p>Nothing of Twinshelf is left in the shop.</p>
      ) : (
        <>
          <p>
            {by === 'merchant'
              ? 'This stayed in the shop:'
              : 'Our access ended before we could restore the shop, so this stayed in it:'}
          </p>
          <ul class="points">
            {kept.map(what => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </>
      )}
      {ended.length > 0 && (
        <>
          <p>
            These applied winners needed our script and ended with it. After a reinstall you can
            switch each on again:
          </p>
          <ul class="points">
            {ended.map(title => (
              <li key={title}>{title}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

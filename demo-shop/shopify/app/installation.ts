import { inTransaction, type Database } from '../../database.ts'

/** Whether the app is installed in the shop. */
export type ShopifyInstallation = {
  isInstalled: () => boolean
  install: () => void
  /**
   * Runs what ends with the installation, in one transaction. Nothing when it has ended. Returns
   * whether it ended now.
   */
  uninstall: () => boolean
  /** Adds what must end with the installation. */
  onUninstall: (end: () => void) => void
}

export function openShopifyInstallation(
  db: Database,
  startsInstalled: boolean,
): ShopifyInstallation {
  db.exec(`
    create table if not exists shopify_installation (id integer primary key check (id = 1), installed integer not null) strict;
    insert into shopify_installation (id, installed) values (1, ${startsInstalled ? 1 : 0}) on conflict do nothing`)
  const read = db.prepare('select installed from shopify_installation')
  const write = db.prepare('update shopify_installation set installed = ? where installed <> ?')
  const ends: (() => void)[] = []
  return {
    isInstalled: () => (read.get() as { installed: number }).installed === 1,
    install: () => void write.run(1, 1),
    uninstall: () =>
      inTransaction(db, () => {
        if (write.run(0, 0).changes === 0) return false
        for (const end of ends) end()
        return true
      }),
    onUninstall: end => void ends.push(end),
  }
}

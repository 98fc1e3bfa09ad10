/** Every island, by the name that views use, with what loads its code. Each has its own file. */
export const registry = {
  autosave: async () => (await import('./drafts/autosave.tsx')).Autosave,
  'changes-editor': async () => (await import('./drafts/changes-editor.tsx')).ChangesEditor,
  chart: async () => (await import('./reports/chart.tsx')).Chart,
  'content-picture': async () => (await import('./drafts/content-picture.tsx')).ContentPicture,
  downloads: async () => (await import('./reports/downloads.tsx')).Downloads,
  'length-planner': async () => (await import('./drafts/length-planner.tsx')).LengthPlanner,
  modal: async () => (await import('./modal/modal.tsx')).Modal,
  'plan-chooser': async () => (await import('./plans/plan-chooser.tsx')).PlanChooser,
  'preview-frame': async () => (await import('./drafts/picker/preview-frame.tsx')).PreviewFrame,
  'undo-redo': async () => (await import('./drafts/undo-redo.tsx')).UndoRedo,
  'uninstall-progress': async () =>
    (await import('./stores/uninstall-progress.tsx')).UninstallProgress,
}
export type IslandName = keyof typeof registry

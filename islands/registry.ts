import { Autosave } from './drafts/autosave.tsx'
import { ChangesEditor } from './drafts/changes-editor.tsx'
import { Chart } from './reports/chart.tsx'
import { ContentPicture } from './drafts/content-picture.tsx'
import { Downloads } from './reports/downloads.tsx'
import { LengthPlanner } from './drafts/length-planner.tsx'
import { PreviewFrame } from './drafts/picker/preview-frame.tsx'
import { UndoRedo } from './drafts/undo-redo.tsx'
import { UninstallProgress } from './stores/uninstall-progress.tsx'

/** Every island, by the name that views use. */
export const registry = {
  autosave: Autosave,
  'changes-editor': ChangesEditor,
  chart: Chart,
  'content-picture': ContentPicture,
  downloads: Downloads,
  'length-planner': LengthPlanner,
  'preview-frame': PreviewFrame,
  'undo-redo': UndoRedo,
  'uninstall-progress': UninstallProgress,
}

import { accountScreens } from './accounts.ts'
import { dialogScreens } from './dialogs.ts'
import { roomScreens } from './rooms.ts'
import type { Scene } from './scene.ts'
import type { Screen } from './screen.ts'
import { settingsScreens } from './settings.ts'

/** All screens of the client. */
export function listScreens(scene: Scene): Screen[] {
  return [...accountScreens(scene), ...roomScreens(scene), ...dialogScreens(scene), ...settingsScreens(scene)]
}

import { api } from '../session.ts'
import { useLoaded } from './use-loaded.ts'

/** Whether codes come by mail; undefined until it is known. Without it whoever runs the server gives them out. */
export function useSendsMail(): boolean | undefined {
  return useLoaded(() => api.call('getServer')).value?.mail
}

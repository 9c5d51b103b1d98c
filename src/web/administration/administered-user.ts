import type { Answer } from '../../client/operations.ts'

export type AdministeredUser = Answer<'getAdministeredUser'>

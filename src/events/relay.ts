/** Carries texts between the processes that share a database. A process does not hear itself. */
export type Relay = {
  /** Sends to every other process; settled once it is on its way. */
  send(text: string): Promise<void>
  /** Sets the listener, which receives what the others send, in the order in which it was sent. */
  listen(receive: (text: string) => void): void
  close(): Promise<void>
}

/** What must hold, by name. Each is refuted by a planted fault. */

/** What a single step of the database can do wrong. */
export const STEP_FAULTS = {
  doubled: 'K1 a start is granted only if no run is current',
  pending: 'A1 a start that is granted was pending',
  leased: 'K2 an instance without a lease starts nothing',
  configured: 'K5 a start is decided by the configuration that holds',
  back: 'K2 no move takes a cursor back',
  moved: 'K5 a move by a list is decided by the configuration that holds',
  version: 'K2 a record that is written has a version that the name never had',
  ended: 'K4 an end is of the current run of its instance',
  takenBack: 'K4 an unstart is of the current run of its instance',
  fenced: 'K4 nothing that an absent instance sends changes a row',
  again: 'E9 the same batch again changes nothing',
  forgotten: 'K5 a name is forgotten only while no other instance has it and it does not run',
  remembered: 'K5 a name that no other instance has is forgotten',
  dead: 'K3 no instance is declared dead within its lease',
  steady: 'K3 only a steady member declares others dead',
} as const;

/** What must hold in every state, and of all executions. */
export const PROPERTIES = {
  step: 'no step does wrong',
  present: 'K1 a current run belongs to a present instance',
  oneScheduler: 'K1 the records are those of one scheduler',
  runner: 'K1 an instance that runs a task, and is not fenced, has its current run',
  granted: 'E9 a claim that is durable is granted again',
  stored: 'K5 every name that an instance has is stored',
  served: 'K1 every reason is served while an instance lives that has the task',
} as const;

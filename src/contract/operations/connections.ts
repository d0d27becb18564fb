/** Operations beyond the contract: connections that an owner makes while the service runs. */
import { ACTIVE } from '../capabilities.ts'
import { NamespaceParams } from '../shapes/connection.ts'
import {
  ConnectionChange,
  ConnectionDetails,
  ConnectionKindList,
  ConnectionRequest,
  ConnectionTest,
} from '../shapes/connections/hosted.ts'
import { DryRunQuery } from '../dry-run.ts'
import {
  ConnectionFileList,
  FileAnswer,
  FileDecision,
  FileParams,
  FileUpload,
  UploadAnswer,
} from '../shapes/connections/files.ts'
import { SelectionList, SelectionParams, SelectionsRequest } from '../shapes/connections/selections.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'

const COMMON = { section: '4.1', tag: 'Discovery', capabilities: ACTIVE.namespaces } as const

export const connectionsOperations = operationRows(COMMON, {
  listConnectionKinds: {
    method: 'GET',
    path: '/connections/kinds',
    summary: 'Lists the kinds of connections that can be added, with the questions of each.',
    roles: ROLES.readers,
    returns: ConnectionKindList,
  },
  getConnection: {
    method: 'GET',
    path: '/connections/{namespace}',
    summary: 'Returns the settings of a connection, without its secrets.',
    roles: ROLES.owners,
    params: NamespaceParams,
    returns: ConnectionDetails,
    codes: ['not_found', 'not_editable'],
  },
  addConnection: {
    method: 'POST',
    path: '/connections',
    summary: 'Adds a connection to a supplier or a machine platform; it can be used at once.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    body: ConnectionRequest,
    status: 201,
    returns: ConnectionDetails,
    codes: ['conflict', 'not_editable', 'not_enabled'],
  },
  changeConnection: {
    method: 'PUT',
    path: '/connections/{namespace}',
    summary: 'Changes the settings of a connection; secrets that are left out stay.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    params: NamespaceParams,
    body: ConnectionChange,
    returns: ConnectionDetails,
    codes: ['not_found', 'conflict', 'not_editable', 'not_enabled'],
  },
  removeConnection: {
    method: 'DELETE',
    path: '/connections/{namespace}',
    summary: 'Removes a connection and its secrets, unless machines or open purchases need it.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    params: NamespaceParams,
    returns: ConnectionDetails,
    codes: ['not_found', 'not_editable'],
  },
  testConnection: {
    method: 'POST',
    path: '/connections/{namespace}/test',
    summary: 'Reads a connection once and shows examples; stores and sends nothing.',
    roles: ROLES.owners,
    safe: true,
    params: NamespaceParams,
    returns: ConnectionTest,
    codes: ['not_found', 'not_editable'],
  },
  tryConnection: {
    method: 'POST',
    path: '/connections/test',
    summary: 'Reads once with settings that are not saved.',
    roles: ROLES.owners,
    safe: true,
    body: ConnectionRequest,
    returns: ConnectionTest,
    codes: ['not_editable', 'not_enabled'],
  },
  listFiles: {
    method: 'GET',
    path: '/connections/{namespace}/files',
    summary: 'Lists the files that were uploaded for a connection, newest first.',
    roles: ROLES.readers,
    params: NamespaceParams,
    returns: ConnectionFileList,
    codes: ['not_found', 'not_editable'],
  },
  uploadFile: {
    method: 'POST',
    path: '/connections/{namespace}/files',
    summary:
      'Brings a file: a price list, a DEX file, a reply, an export or a planogram. With `dry_run` it is only read.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: NamespaceParams,
    query: DryRunQuery,
    body: FileUpload,
    upload: true,
    returns: UploadAnswer,
    codes: ['not_found', 'not_editable', 'conflict', 'forbidden', 'request_too_large'],
  },
  putSelections: {
    method: 'PUT',
    path: '/connections/{namespace}/locations/{id}/selections',
    summary: 'States which products are in the selections of a machine that does not name them.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: SelectionParams,
    body: SelectionsRequest,
    returns: SelectionList,
    codes: ['not_found', 'not_editable', 'conflict'],
  },
  decideFile: {
    method: 'PUT',
    path: '/connections/{namespace}/files/{id}',
    summary: 'Uses or discards a file that waits for the word of an owner.',
    roles: ROLES.owners,
    tokenUntilOwner: true,
    write: { guard: 'none' },
    params: FileParams,
    body: FileDecision,
    returns: FileAnswer,
    codes: ['not_found', 'not_editable', 'already_resolved'],
  },
} as const satisfies OperationRows)

/** The HTTP column of section 7 is part of the contract; here is where the server looks for it. */
export { STATUS } from '../contract/status.ts'

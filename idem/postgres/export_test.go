package postgres

// DropIdle does what happens when no renewal was sent for a while.
func (s *Store) DropIdle() { s.renewals.drop() }

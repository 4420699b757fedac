; Mia returns a late atlas and borrows a poetry book; at closing time no shelf is empty.
(define (problem closing-time)
  (:domain library)
  (:objects
    atlas novel sonnets haiku - book
    maps fiction poems - shelf
    mia leo - reader
    kim - clerk)
  (:init
    (belongs atlas maps) (belongs novel fiction)
    (belongs sonnets poems) (belongs haiku poems)
    (poetry sonnets) (poetry haiku)
    (lent atlas mia) (late atlas mia)
    (on-cart novel)
    (on-shelf sonnets poems) (on-shelf haiku poems))
  (:goal (and (locked)
              (exists (?b - book) (and (poetry ?b) (lent ?b mia)))
              (forall (?s - shelf) (exists (?b - book) (on-shelf ?b ?s))))))
